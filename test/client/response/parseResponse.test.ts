import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, parseResponse } from '../../../src/client/response/parseResponse.ts';
import { searchService } from '../../../src/search/index.ts';
import { beginningOf, printable } from '../../../src/client/response/errorIn.ts';
import { anyText } from '../../anyText.ts';

const parse = (text: string) => parseResponse(Buffer.from(text), searchService.envelope);
const wrap = (data: string): string => `{"code":200,"message":"success","data":${data},"requestId":"r","timestamp":1}`;

describe('parseResponse', () => {
  it('reads the envelope', () => {
    expect(parse(wrap('{"a":1}'))).toEqual({
      kind: 'payload',
      good: true,
      code: 200,
      message: 'success',
      data: { a: 1 },
      requestId: 'r',
      timestamp: 1,
    });
  });

  it('reads a body without the optional fields', () => {
    expect(parse('{"code":200,"data":{}}')).toMatchObject({ kind: 'payload', requestId: '', timestamp: 0 });
    expect(parse('{"code":500}')).toMatchObject({ kind: 'payload', code: 500, data: null });
  });

  it.each([
    ['', 'notJson'],
    ['<html>', 'notJson'],
    ['{"code":200', 'notJson'],
    ['"text"', 'noEnvelope'],
    ['[]', 'noEnvelope'],
    ['{"data":{}}', 'noEnvelope'],
    ['{"code":"200","data":{}}', 'noEnvelope'],
    ['{"code":200}', 'noData'],
    ['{"code":200,"data":[]}', 'noData'],
  ])('says why %j is no response', (text, kind) => expect(parse(text)).toEqual({ kind }));

  it('refuses objects a hundred thousand levels deep', () => {
    expect(parse(wrap(`{"x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`))).toEqual({ kind: 'tooDeep' });
  });

  it.each([
    ['lists', '['.repeat(100_000), ']'.repeat(100_000)],
    ['objects', '{"a":'.repeat(300), `1${'}'.repeat(300)}`],
  ])('takes a row of too many %s out of its list, and no other', (_, open, close) => {
    expect(parse(wrap(`{"x":[{"a":1},{"a":${open}${close}},{"a":3}]}`))).toMatchObject({
      kind: 'payload',
      data: { x: [{ a: 1 }, 'nests deeper than 256 levels', { a: 3 }] },
    });
  });

  it("accepts many brackets that don't nest", () => {
    expect(parse(wrap(`{"x":[${Array(5000).fill('{"y":[]}').join(',')}]}`))).toMatchObject({ kind: 'payload' });
    expect(parse(wrap(`{"x":${'['.repeat(200)}${']'.repeat(200)}}`))).toMatchObject({ kind: 'payload' });
  });

  it('keeps a 64-bit id as it came', () => {
    expect(parse(wrap('{"id":12345678901234567890,"small":7}'))).toMatchObject({ data: { id: '12345678901234567890', small: 7 } });
  });

  it('treats __proto__ and constructor as data', () => {
    const response = parse(wrap('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
    expect(response.kind === 'payload' && Object.keys(response.data ?? {})).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.json().map((text) => Buffer.from(wrap(text))),
        ),
        (bytes) => {
          expect(parseResponse(Buffer.from(bytes), searchService.envelope).kind).toMatch(/^(payload|notJson|noEnvelope|noData|tooDeep)$/);
        },
      ),
      { numRuns: process.env['TRAWLER_LONG'] === '1' ? 100_000 : 1000 },
    );
  });
});

describe('decodeText', () => {
  it('decodes as toString does, without a byte order mark', () => {
    const same = (body: Buffer): void => {
      expect(decodeText(body)).toBe(body.toString().replace(/^\ufeff/, ''));
    };
    fc.assert(fc.property(anyText(), (text) => same(Buffer.from(text))));
    fc.assert(fc.property(fc.uint8Array(), (bytes) => same(Buffer.from(bytes))));
    expect(decodeText(Buffer.from('\ufeff{"a":"é"}'))).toBe('{"a":"é"}');
  });
});

describe('printable', () => {
  it('escapes control and invisible characters', () => {
    expect(printable('a\u001b[31mb\r\n\u202ec\u200bd\u2028e\ud800f')).toBe(
      'a\\u{1b}[31mb\\u{d}\\u{a}\\u{202e}c\\u{200b}d\\u{2028}e\\u{d800}f',
    );
    expect(printable('Käse ☕ 👍 日本')).toBe('Käse ☕ 👍 日本');
  });
  it('shows no more than the beginning', () => expect(beginningOf('x'.repeat(300))).toBe(`"${'x'.repeat(200)}"…`));
});
