import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { queueFormat } from '../../src/bullmq/JobData.ts';
import { decodeResult, encodeResult, type Result } from '../../src/bullmq/Result.ts';
import type { Payload } from '../../src/client/response/parseResponse.ts';
import { RowScanner } from '../../src/client/spans/RowScanner.ts';
import { RowSpan } from '../../src/client/spans/RowSpan.ts';

interface Sent {
  readonly response: Payload;
}

describe('encodeResult', () => {
  const response = {
    kind: 'payload',
    good: true,
    code: 200,
    message: 'ok',
    data: { rows: ['x'], ['__proto__']: 1 },
    requestId: 'r',
    timestamp: 1,
  } as const;
  /** What arrives of a result. */
  const sentAs = (result: Result): Result => decodeResult(encodeResult(result, (text) => text));

  it('brings a response back as it was', () => {
    const result = { response: { ...response, data: { ...response.data, text: 'é\n'.repeat(1000) } }, bytes: 7, ms: 3 };
    expect(sentAs(result)).toEqual(result);
  });

  it('brings the bytes of rows, and where their values are', () => {
    const rows = ['{"id":"é1","n":{"a":1},"x":null}', '{"n":2}', '{"id":3,"list":[1]}'];
    const body = Buffer.from(`{"rows":[${rows.join()}]}`);
    const spans = new RowScanner(undefined, 'rows').scan(body, body.toString('latin1'), 8)!;
    const sent = (): readonly RowSpan[] => {
      const { response: there } = sentAs({ response: { ...response, spans }, bytes: body.length, ms: 3 }) as Sent;
      expect([there.spans!.mark, there.spans!.issues]).toEqual([spans.mark, spans.issues]);
      return there.spans!.rows as readonly RowSpan[];
    };
    const parse = vi.spyOn(RowSpan.prototype, 'parse');
    onTestFinished(() => parse.mockRestore());
    const there = sent();
    expect(there.map(({ bytes }) => bytes.toString())).toEqual(rows);
    expect(there.map((row) => ['id', 'n', 'x', 'none'].map((name) => row.text(name)))).toEqual([
      ['"é1"', '{"a":1}', 'null', undefined],
      [undefined, '2', undefined, undefined],
      ['3', undefined, undefined, undefined],
    ]);
    expect(parse).not.toHaveBeenCalled();
    const valuesOf = ({ page: { body: of, offsets, paths }, from, to }: RowSpan): unknown[] =>
      Array.from({ length: (to - from) / 3 }, (_, nth) => {
        const [path, start, end] = offsets.subarray(from + 3 * nth);
        return [paths[path!], of.toString('utf8', start, end)];
      });
    expect(there.map(valuesOf)).toEqual(spans.rows.map(valuesOf));
    expect(sent()[0]!.page.paths).toBe(there[0]!.page.paths);
  });

  it('brings a list without rows', () => {
    const body = Buffer.from('{"rows":[]}');
    const spans = new RowScanner(undefined, 'rows').scan(body, body.toString('latin1'), 8)!;
    expect(sentAs({ response: { ...response, spans }, bytes: 11, ms: 3 })).toMatchObject({
      response: { spans: { rows: [] } },
    });
  });

  it('brings the response as it came beside its rows', () => {
    const body = Buffer.from('{"rows":[{"id":1}]}');
    const spans = new RowScanner(undefined, 'rows').scan(body, body.toString('latin1'), 8)!;
    const raw = { status: 200, headers: { etag: 'x' }, url: 'https://service.invalid/', body: Buffer.from([10, 0, 255]) };
    const result = sentAs({ response: { ...response, spans }, bytes: 19, raw, ms: 3 });
    expect(result).toMatchObject({ raw, response: { spans: { mark: spans.mark } } });
  });
});

describe('decodeResult', () => {
  const failure = { kind: 'network', error: 'NetworkError', what: 'gone' };
  const good = { format: queueFormat, ms: 3, response: { kind: 'payload', good: true, data: {}, requestId: 'r', timestamp: 1 }, bytes: 7 };
  it.each<[string, unknown]>([
    ['an empty object', {}],
    ['no response', { format: queueFormat, ms: 3, response: null, bytes: 1 }],
    ['no failure', { format: queueFormat, ms: 3, failure: null }],
    ['another version', { ...good, format: queueFormat - 1 }],
    ['no version', { ms: 3, failure }],
    ['a list', []],
    ['nothing', null],
  ])('refuses %s', (_, value) => {
    expect(() => decodeResult([Buffer.from(JSON.stringify(value))])).toThrow('it is no result, or one of another version of trawler');
  });

  const path = [0, 5, 6]; // of the value of {"a":1}
  function packed(sizes: readonly number[], bytes: string, offsets: readonly number[], paths = '[["a"]]'): Buffer[] {
    const numbers = Buffer.from(Int32Array.from([...sizes, ...offsets]).buffer);
    const rows = { count: Math.ceil(sizes.length / 2), issues: [], mark: 1, offsetBytes: numbers.length };
    return [Buffer.concat([Buffer.from(`${JSON.stringify({ ...good, rows })}\n`), numbers, Buffer.from(paths)]), Buffer.from(bytes)];
  }
  it.each<[string, readonly number[], string, readonly number[], string?]>([
    ['a row that begins elsewhere', [7, 3], ' {"a":1}', path],
    ['a row that ends elsewhere', [6, 3], '{"a":1}', path],
    ['more bytes than rows', [7, 3], '{"a":1},{}', path],
    ['more rows than bytes', [7, 3, 2, 0], '{"a":1}', path],
    ['rows without a comma between them', [2, 0, 2, 0], '{};{}', []],
    ['a row of two lines', [8, 0], '{"a":\n1}', []],
    ['fewer offsets than it says', [7, 3], '{"a":1}', []],
    ['more offsets than it says', [7, 0], '{"a":1}', path],
    ['a part of a place', [7, 2], '{"a":1}', [0, 5]],
    ['a number of rows only', [7], '{"a":1}', path],
    ['a place outside of the row', [7, 3], '{"a":1}', [0, 5, 8]],
    ['a place of no path', [7, 3], '{"a":1}', [1, 5, 6]],
    ['paths that are none', [7, 3], '{"a":1}', path, '[["a"],7]'],
  ])('refuses %s', (_, sizes, bytes, offsets, paths?) => {
    expect(() => decodeResult(packed(sizes, bytes, offsets, paths))).toThrow(/its (rows|paths) are/);
  });

  it('takes rows that are where it says', () => {
    const { response } = decodeResult(packed([7, 3], '{"a":1}', path)) as Sent;
    expect(response.spans!.rows[0]!.field('a')).toBe(1);
  });

  it.each([0, 1, 2, 3])('takes offsets that begin anywhere in memory, %d bytes behind a number', (behind) => {
    const [first, rows] = packed([7, 3], '{"a":1}', path);
    const { response } = decodeResult([Buffer.concat([Buffer.alloc(behind), first!]).subarray(behind), rows!]) as Sent;
    expect(response.spans!.rows[0]!.field('a')).toBe(1);
  });

  it('refuses a part of a number', () => {
    const [first, rows] = packed([7, 3], '{"a":1}', path);
    const other = Buffer.from(first!.toString('latin1').replace('"offsetBytes":20', '"offsetBytes":21'), 'latin1');
    expect(() => decodeResult([other, rows!])).toThrow('its rows are not what it says');
  });

  it('refuses numbers that are missing', () => {
    const [first, rows] = packed([7, 3], '{"a":1}', path);
    expect(() => decodeResult([first!.subarray(0, -20), rows!])).toThrow('its rows are not what it says');
  });

  it('takes what a worker of this version brings', () => {
    expect(decodeResult([Buffer.from(JSON.stringify({ format: queueFormat, ms: 3, failure }))])).toEqual({ failure, ms: 3 });
    expect(decodeResult([Buffer.from(JSON.stringify(good))])).toEqual({ response: good.response, bytes: 7, ms: 3 });
  });

  it('reads no more than any response can be', () => {
    expect(() => decodeResult([Buffer.from('{}'), Buffer.alloc(101 * 1024 * 1024, 0x20)])).toThrow('it has more than');
  });
});
