import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepLazily, type LazyRow } from '../../operators/LazyRow.ts';
import { RowScanner } from '../../src/client/spans/RowScanner.ts';
import { ByteBuffer } from '../../src/files/ByteBuffer.ts';
import { csvEncoder } from '../../src/sinks/csvEncoder.ts';
import type { TableOptions } from '../../src/sinks/TableOptions.ts';
import { ofTheDay } from '../ofTheDay.ts';

const scanner = new RowScanner(undefined, '');

/** The rows of a body, unparsed. undefined: the body has to be parsed. */
function lazyRows(text: string): readonly LazyRow[] | undefined {
  const body = Buffer.from(text);
  return scanner.scan(body, body.toString('latin1'), 0)?.rows;
}

function csvOf(rows: readonly unknown[], options: TableOptions): object {
  const told: string[] = [];
  const into = new ByteBuffer(16);
  const encoder = csvEncoder({ ...options, onUnlisted: (path) => told.push(path) });
  encoder.begin!(rows, into, false);
  for (const row of rows) encoder.encode(row, into);
  return { text: into.content.toString(), told, ...encoder.remarks!() };
}

const column = (path: string, type?: 'json'): { path: string; keys: string[]; type?: 'json' } => ({
  path,
  keys: path.split('.'),
  ...(type && { type }),
});
const text = (rows: readonly object[], options: TableOptions): string => (csvOf(rows, options) as { text: string }).text;

describe('csvEncoder with rows that were not parsed', () => {
  it('copies numbers, flags, plain text and JSON, and parses the rest', () => {
    const rows = lazyRows(
      '[{"a":-1.5,"b":true,"c":"é, è","d":["x",{"y":"\\"z\\n"}]},{"a":null,"b":"","c":"=1+1","d":"j"},{"c":" x","d":[]},{"c":"say \\"hi\\"\\n"}]',
    )!;
    const columns = [column('a'), column('b'), column('c'), column('d', 'json')];
    expect(text(rows, { columns })).toBe(
      'a,b,c,d\n-1.5,true,"é, è","[""x"",{""y"":""\\""z\\n""}]"\n,"",\'=1+1,"""j"""\n,," x",[]\n,,"say ""hi""\n",\n',
    );
  });

  it('reads nested objects, and reports fields without a column', () => {
    const rows = lazyRows('[{"o":{"a":1,"b":{"c":2}},"x":[3],"n":null},{"o":"plain"}]')!;
    const columns = [column('o.a'), column('o.b', 'json')];
    expect(csvOf(rows, { columns })).toEqual({
      text: 'o.a,o.b\n1,"{""c"":2}"\n,\n',
      told: ['x', 'o'],
      unlisted: { x: 1, o: 1 },
    });
    expect(text(rows, { columns, extra: true })).toBe('o.a,o.b,_extra\n1,"{""c"":2}","{""x"":[3]}"\n,,"{""o"":""plain""}"\n');
  });

  it('computes columns from whole rows', () => {
    const rows = lazyRows('[{"a":1,"b":2}]')!;
    expect(text(rows, { columns: [{ header: 'sum', value: (row) => (row as { a: number }).a + 1 }, column('b')] })).toBe('sum,b\n2,2\n');
  });

  it('finds the columns of rows whose columns are not known', () => {
    const rows = lazyRows('[{"a":1,"o":{"b":"x"}}]')!;
    const encoder = csvEncoder({});
    const into = new ByteBuffer(16);
    expect(encoder.wait!(rows[0])).toBe(true);
    encoder.begin!(rows, into, true);
    encoder.encode(rows[0], into);
    expect(into.content.toString()).toBe('a,o.b\n1,x\n');
  });

  it('treats any character at either end of a text as in parsed rows', () => {
    const columns = [column('a'), column('b')];
    const blocks = Array.from({ length: Math.ceil((0xd800 - 0x20) / 1000) }, (_, block) => 0x20 + block * 1000);
    // The first of them has all that ASCII has.
    for (const first of [blocks[0]!, ...ofTheDay(blocks.slice(1), 7)]) {
      const rows = Array.from({ length: 1000 }, (_, at) => String.fromCharCode(first + at)).map((char) => ({
        a: `${char}x`,
        b: `x${char}`,
      }));
      const lazy = lazyRows(JSON.stringify(rows.filter(({ a }) => !/[\ud800-\udfff]/.test(a))));
      expect(text(lazy!, { columns })).toBe(text(lazy!.map((row) => row.parse()), { columns })); // prettier-ignore
    }
    const [blank] = lazyRows('[{"a":"\ufeffx","b":"x\ufeff"}]')!;
    expect(text([blank!], { columns })).toBe('a,b\n"\ufeffx","x\ufeff"\n');
  });

  it.each(['', ',', ';', "'", '"', '\\', '\n', '§', 'é'])('finds %j in a long text', (special) => {
    const row = { a: `${'long'.repeat(40)}${special}end`, b: `${special}${'é'.repeat(80)}`, c: `${'x'.repeat(127)}${special}` };
    const options = fc.sample(
      fc.record({ delimiter: fc.constantFrom(',', ';', '§'), quote: fc.constantFrom('"' as const, "'" as const) }),
      30,
    );
    for (const given of options) {
      const table = { ...given, columns: [column('a'), column('b'), column('c')] };
      expect(text(lazyRows(JSON.stringify([row]))!, table)).toBe(text([row], table));
    }
  });

  it('quotes text that would read as null, and no number', () => {
    const rows = lazyRows('[{"a":"é1","b":12},{"a":"x","b":null},{"a":"éé","b":[]}]')!;
    expect(text(rows, { columns: [column('a'), column('b')], null: 'é1' })).toBe('a,b\n"é1",12\nx,é1\néé,[]\n');
  });

  it('writes the same bytes as from parsed rows', () => {
    const piece = fc.constantFrom(
      ...['a', 'é', '“', '日本', '\u3000', '\u00a0', '\ufeff', '\u2003', '＝', ' ', ',', ';', '§', '"', "'", '\\', '\\.'],
      ...['-', '=', '+', '@', '\n', '\r', '\t', '0', '1e3', 'NULL', '[]', '\ufffd', '😀'],
    );
    const pieces = fc.array(piece, { maxLength: 4 }).map((all) => all.join(''));
    const leaf = fc.oneof(
      pieces,
      fc.tuple(pieces, fc.constantFrom('long'.repeat(33), 'é'.repeat(70)), pieces).map((all) => all.join('')),
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.constantFrom<unknown>(0.5, -7, 12, '\u0000', '\ud800', '\u0000\ud800', 1e300),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const key = fc.constantFrom('a', 'b', 'c', 'o', 'p', 'é', '__proto__', 'constructor', 'a.b');
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        { weight: 3, arbitrary: leaf },
        { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
        { weight: 2, arbitrary: fc.dictionary(key, tie('value'), { maxKeys: 5 }) },
      ),
    }));
    const columns = fc.uniqueArray(
      fc.record({
        keys: fc.array(key, { minLength: 1, maxLength: 3 }),
        type: fc.constantFrom(undefined, 'string' as const, 'json' as const),
      }),
      { selector: ({ keys }) => keys.join('.'), minLength: 1, maxLength: 8 },
    );
    const options = fc.record(
      {
        delimiter: fc.constantFrom(',', ';', '\t', ' ', ':', '§', '日', '='),
        quote: fc.constantFrom('"' as const, "'" as const),
        eol: fc.constantFrom('\n' as const, '\r\n' as const),
        null: fc.constantFrom('', 'NULL', '[]', 'a', 'é', '\\.'),
        extra: fc.boolean(),
        formulas: fc.constantFrom('keep' as const, 'escape' as const),
      },
      { requiredKeys: [] },
    );
    let scanned = 0;
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(key, value, { maxKeys: 6 }), { minLength: 1, maxLength: 4 }),
        fc.option(fc.dictionary(fc.constantFrom('p', 'o', 'k'), value, { maxKeys: 2 }), { nil: undefined }),
        columns,
        options,
        (rows, kept, chosen, given) => {
          if (rows.some((row) => Object.keys(kept ?? {}).some((column) => Object.hasOwn(row, column)))) return; // refused before
          const json = JSON.stringify(rows);
          const lazy = lazyRows(json);
          if (lazy === undefined) return;
          scanned++;
          const parsed = JSON.parse(json) as object[];
          const table = { ...given, columns: chosen.map(({ keys, type }) => ({ path: keys.join('.'), keys, type })) };
          const whole = kept === undefined ? parsed : parsed.map((row) => ({ ...kept, ...row }));
          const left = lazy.map((row) => keepLazily(row, kept));
          expect(csvOf(left, table)).toEqual(csvOf(whole, table));
        },
      ),
      { numRuns: process.env['TRAWLER_LONG'] === '1' ? 20_000 : 1000 },
    );
    expect(scanned).toBeGreaterThan(250);
  });
});
