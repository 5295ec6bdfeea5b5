import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { quickDigest } from '../../../operators/kit/quickDigest.ts';
import { isFilled } from '../../../operators/kit/path.ts';
import { RowScanner, type ScannedSpans } from '../../../src/client/spans/RowScanner.ts';
import { quoteLongIntegers } from '../../../src/client/response/quoteLongIntegers.ts';
import { conforms } from '../../../src/contract/checkResponse/findIssues.ts';
import type { Shape } from '../../../src/contract/index.ts';
import { anyText } from '../../anyText.ts';

const shape: Shape = {
  a: 'string',
  'b?': 'integer',
  c: { 'd?': 'number|null', e: ['string'] },
  'f?': '=up|down',
  'g?': { $oneOf: ['string', { h: 'integer' }] },
};

function scan(rows: string, of: Shape | undefined = shape, scanner: RowScanner = new RowScanner(of, 'list')): ScannedSpans | undefined {
  const body = Buffer.from(`{"list":${rows},"more":[]}`);
  return scanner.scan(body, body.toString('latin1'), 8);
}
const texts = (found: ScannedSpans | undefined): string[] | undefined => found?.rows.map(({ bytes }) => bytes.toString());

describe('RowScanner', () => {
  it('finds the bytes of each row', () => {
    const rows = ['{"a":"x","c":{"e":[]}}', '{"a":"é\\"]}\\\\","b":-12,"c":{"d":0.5,"e":["\\n",""]},"f":"up","g":{"h":1},"z":null}'];
    expect(texts(scan(`[${rows.join()}]`))).toEqual(rows);
    expect(texts(scan('[]'))).toEqual([]);
  });

  it('finds the end of the list', () => {
    expect(scan('[{"a":"x","c":{"e":[]}}]')?.end).toBe('{"list":[{"a":"x","c":{"e":[]}}'.length);
  });

  it('reads one field of a row', () => {
    const row = scan('[{"a":"é\\n","b":7,"c":{"e":["x"]}}]')!.rows[0]!;
    expect(['a', 'b', 'c', 'd'].map((name) => row.field(name))).toEqual(['é\n', 7, { e: ['x'] }, undefined]);
  });

  it('gives a field the digest of its JSON text, whether its place is known or not', () => {
    const body = Buffer.from('[{"a":"é\\n","b":7,"c":null,"d":0,"e":""}]');
    const digests = (only?: readonly string[]): (number | undefined)[] => {
      const row = new RowScanner(undefined, 'list', only).scan(body, body.toString('latin1'), 0)!.rows[0]!;
      return ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => row.digest(name));
    };
    const expected = ['é\n', 7, undefined, 0].map((value) =>
      value === undefined ? undefined : quickDigest(Buffer.from(JSON.stringify(value))),
    );
    expect(digests()).toEqual([...expected, undefined, undefined]);
    expect(digests(['b'])).toEqual([...expected, undefined, undefined]);
    expect(new Set(expected).size).toBe(4);
  });

  it.each([undefined, ['b']])('says which fields are filled, where %j have a place', (only) => {
    const values = { a: '', b: null, c: [], d: {}, e: ['x'], f: { g: null }, h: 0, i: -5, j: 10, k: false, l: 'n', m: 'null' };
    const body = Buffer.from(JSON.stringify([values]));
    const row = new RowScanner(undefined, 'list', only).scan(body, body.toString('latin1'), 0)!.rows[0]!;
    expect([...Object.keys(values), 'none'].filter((name) => row.fills(name)).join('')).toBe('efhijklm');
  });

  it('says where the values outside lists are', () => {
    const text = '[{"a":"x","c":{"d":7,"e":["y"]}}]';
    const { page, from, to } = scan(text)!.rows[0]!;
    const { body, offsets, paths } = page;
    const found: (readonly [string, string])[] = [];
    for (let at = from; at < to; at += 3)
      found.push([paths[offsets[at]!]!.join('.'), body.toString('utf8', offsets[at + 1], offsets[at + 2])]);
    expect(found).toEqual([
      ['a', '"x"'],
      ['c.d', '7'],
      ['c.e', '["y"]'],
      ['c', '{"d":7,"e":["y"]}'],
    ]);
  });

  it('leaves the values of earlier bodies where they are, whatever comes after them', () => {
    const scanner = new RowScanner(undefined, 'list');
    const sizes = [1, 700, 3, 5000, 1, 2, 1400, ...Array.from({ length: 300 }, () => 20)];
    const found = sizes.flatMap((rows, nth) => {
      const texts = Array.from({ length: rows }, (_, row) => `{"a":${nth},"b":${row}}`);
      expect(scan(`[${texts.join()},{"a": 1}]`, undefined, scanner)).toBeUndefined();
      return scan(`[${texts.join()}]`, undefined, scanner)!.rows.map((row, number) => ({ row, nth, number }));
    });
    const wrong = found.filter(({ row, nth, number }) => row.text('a') !== `${nth}` || row.text('b') !== `${number}`);
    expect([found.length, wrong]).toEqual([sizes.reduce((sum, size) => sum + size), []]);
  });

  it('knows only the offsets that are wanted, and parses the row for any other field', () => {
    const body = Buffer.from('[{"a":"x","c":{"a":7,"e":["y"]},"z":1},{"c":null,"a":""}]');
    const rows = new RowScanner(undefined, 'list', ['a', 'c']).scan(body, body.toString('latin1'), 0)!.rows;
    const [row, other] = [rows[0]!, rows[1]!];
    expect(row.page.paths).toEqual([['a'], ['c']]);
    expect([row.to - row.from, other.to - other.from]).toEqual([6, 6]);
    const parse = vi.spyOn(row, 'parse');
    expect(['a', 'c'].map((name) => row.text(name))).toEqual(['"x"', '{"a":7,"e":["y"]}']);
    expect([other.digest('a'), other.digest('c'), row.values]).toEqual([undefined, undefined, undefined]);
    expect(parse).not.toHaveBeenCalled();
    expect(['z', 'none'].map((name) => row.text(name))).toEqual(['1', undefined]);
    expect([row.digest('z'), row.digest('none')]).toEqual([quickDigest(Buffer.from('1')), undefined]);
    expect(parse).toHaveBeenCalledTimes(4);
  });

  it('sees a control character wherever it is', () => {
    for (let before = 0; before < 40; before++) {
      const text = (character: string): string => `[{"a":"${'x'.repeat(before)}${character}","c":{"e":[]}}]`;
      expect(scan(text('\u001F'))).toBeUndefined();
      expect(scan(text(' \u007F'))?.rows).toHaveLength(1);
    }
  });

  it('reads bodies that begin anywhere in memory', () => {
    for (let before = 0; before < 8; before++) {
      const body = Buffer.from(`${' '.repeat(before)}[{"a":"x","c":{"e":[]}},{"a":"y","c":{"e":[]}}]`).subarray(before);
      expect(new RowScanner(shape, 'list').scan(body, body.toString('latin1'), 0)?.rows).toHaveLength(2);
    }
  });

  it('remembers no keys that it leaves to the parser', () => {
    const scanner = new RowScanner(undefined, 'list');
    for (let key = 0; key < 3000; key++) expect(scan(`[{"${key}":1}]`, undefined, scanner)).toBeUndefined();
    for (let key = 0; key < 3000; key++) scan(`[{"k${key}":1}]`, undefined, scanner);
    expect(scan('[{"k0":1}]', undefined, scanner)!.rows[0]!.page.paths.length).toBe(2000);
  });

  it('reads rows whose keys stand in any order', () => {
    const scanner = new RowScanner(undefined, 'list');
    const random = fc.sample(fc.shuffledSubarray(Array.from('abcdefgh'), { minLength: 8 }), { numRuns: 4000, seed: 1 });
    const rows = random.map((keys) => JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1]))));
    expect(rows.filter((row) => scan(`[${row}]`, undefined, scanner) === undefined)).toEqual([]);
  });

  it('leaves a documented key that is a whole number to the parser', () => {
    expect(scan('[{"1":true,"a":"x"}]', { 1: 'boolean', a: 'string' })).toBeUndefined();
    expect(scan('[{"a":"x"}]', { 1: 'boolean', a: 'string' })?.issues).toEqual([
      { path: 'list[].1', message: 'expected true or false, got nothing' },
    ]);
  });

  it('knows a key again in objects at another path', () => {
    expect(texts(scan('[{"a":"x","c":{"a":1,"c":{"a":2}},"d":[{"a":3},{"a":4,"b":[{"a":5}]}]}]', undefined))).toHaveLength(1);
  });

  it('names the documented fields that rows lack, each once', () => {
    const found = scan('[{"a":"x","c":{"e":[]}},{"c":{}},{"b":1,"c":{}}]');
    expect(found?.issues).toEqual([
      { path: 'list[].c.e', message: 'expected a list, got nothing' },
      { path: 'list[].a', message: 'expected a text, got nothing' },
    ]);
  });

  it.each([
    ['white space', '[{"a": "x","c":{"e":[]}}]'],
    ['a line break', '[\n{"a":"x","c":{"e":[]}}]'],
    ['an escape that need not be one', '[{"a":"\\u0041","c":{"e":[]}}]'],
    ['an escaped slash', '[{"a":"\\/","c":{"e":[]}}]'],
    ['half a surrogate pair', '[{"a":"\\ud800","c":{"e":[]}}]'],
    ['a number with a trailing zero', '[{"a":"x","c":{"d":1.0,"e":[]}}]'],
    ['a number with an exponent', '[{"a":"x","c":{"d":1e2,"e":[]}}]'],
    ['a number out of range', '[{"a":"x","c":{"d":1e999,"e":[]}}]'],
    ['a negative zero', '[{"a":"x","b":-0,"c":{"e":[]}}]'],
    ['a number with a leading zero', '[{"a":"x","b":01,"c":{"e":[]}}]'],
    ['an integer of 64 bits', '[{"a":"x","b":12345678901234567890,"c":{"e":[]}}]'],
    ['an empty key', '[{"a":"x","":1,"c":{"e":[]}}]'],
    ['a key that is there twice', '[{"a":"x","a":"y","c":{"e":[]}}]'],
    ['a key that is there twice in two spellings', '[{"a":"x","\\u0061":"y","c":{"e":[]}}]'],
    ['a key that is a whole number', '[{"a":"x","c":{"e":[]},"1":2}]'],
    ['a row that is no object', '[{"a":"x","c":{"e":[]}},7]'],
    ['a value of another kind', '[{"a":7,"c":{"e":[]}}]'],
    ['an element of another kind', '[{"a":"x","c":{"e":[7]}}]'],
    ['a text that is not documented', '[{"a":"x","c":{"e":[]},"f":"left"}]'],
    ['a value that fits no alternative', '[{"a":"x","c":{"e":[]},"g":{}}]'],
    ['a fraction for a whole number', '[{"a":"x","b":1.5,"c":{"e":[]}}]'],
    ['a body cut short', '[{"a":"x","c":{"e":[]}'],
    ['a trailing comma', '[{"a":"x","c":{"e":[]}},]'],
    ['a comma too many in a list', '[{"a":"x","c":{"e":["x",]}}]'],
    ['a word that is none', '[{"a":"x","c":{"e":[]},"z":nul}]'],
    ['values nested too deep', `[{"a":"x","c":{"e":[]},"z":${'['.repeat(100)}${']'.repeat(100)}}]`],
  ])('leaves %s to the parser', (_, rows) => {
    expect(scan(rows)).toBeUndefined();
  });

  it('leaves bytes that are not UTF-8 to the parser', () => {
    const body = Buffer.from('[{"a":"\xff"}]', 'latin1');
    expect(new RowScanner(undefined, 'list').scan(body, body.toString('latin1'), 0)).toBeUndefined();
  });

  it('gives rows that JSON.stringify would write with the same bytes, and checks them as the parsed rows are checked', () => {
    const key = fc.oneof(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', '__proto__', 'constructor', 'é', '1', ''), fc.string());
    const leaf = fc.oneof(
      anyText(),
      fc.string(),
      fc.constantFrom('up', 'down', '\u2028', '\ud800', '"', '\\'),
      fc.double({ noNaN: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    const right = fc.record(
      {
        a: fc.string(),
        b: fc.integer(),
        c: fc.record(
          { d: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)), e: fc.array(fc.string()) },
          { requiredKeys: ['e'] },
        ),
        f: fc.constantFrom('up', 'down'),
        g: fc.oneof(fc.string(), fc.record({ h: fc.integer() })),
        z: value,
      },
      { requiredKeys: ['a', 'c'] },
    );
    const row = fc.oneof(right, fc.dictionary(key, value, { maxKeys: 5 }));
    // Spellings that a parser takes and JSON.stringify would not write.
    const respell = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.replace(/"a"/, '"\\u0061"'),
      (text) => text.replace(/(\d)([,}\]])/, '$1.0$2'),
      (text) => text.replace(/\d/, '12345678901234567890'),
      (text) => text.replace(/:/, ': '),
      (text) => text.replace(/\{"/, '{"a":1,"'),
      (text) => text.replace(/\d/, '-0'),
    );
    const scanner = new RowScanner(shape, 'list');
    let scanned = 0;
    fc.assert(
      fc.property(fc.array(row, { maxLength: 4 }), respell, (rows, spell) => {
        const text = spell(JSON.stringify(rows));
        const found = scan(text, shape, scanner);
        if (found === undefined) return;
        scanned++;
        const parsed = JSON.parse(quoteLongIntegers(text)) as unknown[];
        expect(texts(found)).toEqual(parsed.map((one) => JSON.stringify(one)));
        expect(found.issues.length === 0).toBe(parsed.every((row) => conforms(shape, row)));
        for (const [index, one] of parsed.entries()) {
          const own = found.rows[index]!;
          for (const [name, value] of Object.entries(one as object))
            expect([name, own.field(name), own.fills(name)]).toEqual([name, value, isFilled(value)]);
        }
      }),
      { numRuns: process.env['TRAWLER_LONG'] === '1' ? 20_000 : 400 },
    );
    expect(scanned).toBeGreaterThan(40);
  });
});
