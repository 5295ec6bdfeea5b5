import * as fc from 'fast-check';
import type { Column } from '../../src/contract/index.ts';

const nasty = fc.constantFrom(
  '', '=1+1', '+1', '-2+3', '@SUM(A1)', '\t=1', '"=1', "'=1", "''", "'", '＝1', '\u00a0=1', '-12.5', "'-12.5", '+49 170', ',', '"', '\n', '\r\n', '\\.', '\\N',
  'NULL', ' padded ', 'true', '12345678901234567890', '😀', 'é', '\\', '\u2028', '{}', '[]', 'null',
  'a\ud83d', '\ude00b', '\\ud83d', '\\\ud83d', 'x\0y', '\\u0000',
); // prettier-ignore
const text = fc.oneof(nasty, fc.tuple(nasty, nasty).map((parts) => parts.join('')), fc.string({ unit: 'grapheme', maxLength: 12 })); // prettier-ignore
const json = fc.oneof(fc.array(fc.oneof(text, fc.integer()), { maxLength: 2 }), fc.dictionary(text, fc.option(text), { maxKeys: 2 }), text, fc.integer(), fc.boolean()); // prettier-ignore
const time = fc.date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true });
export const values: { readonly [type in Column['type']]: fc.Arbitrary<unknown> } = {
  string: text,
  integer: fc.maxSafeInteger(),
  number: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }).filter((one) => one === 0 || Math.abs(one) > 1e-300),
  boolean: fc.boolean(),
  // a text that is missing may be empty, and then the date is null
  timestamp: fc.option(
    time.map((one) => one.toISOString()),
    { nil: '' },
  ),
  date: fc.option(
    time.map((one) => one.toISOString().slice(0, 10)),
    { nil: '' },
  ),
  json,
};
export type Row = { [field: string]: unknown };

/** A column that says which row it is, and those of the operation. */
export const columnsFor = (documented: readonly Column[]): readonly Column[] => [
  { path: 'n_', keys: ['n_'], type: 'integer' },
  ...documented,
];

/** Rows of any values for these columns, the same each time. */
export function makeRows(columns: readonly Column[], count: number): Row[] {
  const flat = fc.tuple(...columns.slice(1).map(({ type }) => fc.option(values[type], { freq: 4, nil: null })));
  return fc.sample(flat, { numRuns: count, seed: 7 }).map((cells, n) => {
    const row: Row = { n_: n };
    for (const [index, { keys }] of columns.slice(1).entries()) {
      let at = row;
      for (const key of keys.slice(0, -1)) at = (at[key] ??= {}) as Row;
      // a field that is an object in one column and a value in another: what was there first stays
      if (typeof at === 'object' && !Object.hasOwn(at, keys.at(-1)!)) at[keys.at(-1)!] = cells[index];
    }
    return JSON.parse(JSON.stringify(row)) as Row;
  });
}
