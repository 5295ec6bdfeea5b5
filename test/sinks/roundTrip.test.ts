import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { from, lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toCsv, toJsonl, type CsvOptions } from '../../src/sinks/index.ts';
import { anyText } from '../anyText.ts';

const count = process.env['TRAWLER_LONG'] === '1' ? 20_000 : 500;
const seed = 20;

const nasty = fc.constantFrom(
  '=1+1', '+1', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '"', '""', "'", "'=1", '"=1', ' =1', ',', ';', '\n', '\r\n', '\r', '\0', '\u2028', '\uFEFF', '\uFEFFid',
  '\uD800', '\uDC00x', '😀', 'é', '東京', '-12.5', '+49170', '1e5', ' padded ', '\\', '\\n', 'null', 'true', '＝1', '__proto__', '', '\u0007\u001b[31m', 'a"b,c\nd',
); // prettier-ignore
const text = fc.oneof(nasty, anyText(12), fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.tuple(nasty, nasty, nasty).map((parts) => parts.join('')), fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((codes) => String.fromCharCode(...codes))); // prettier-ignore
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(-0, 1e21, 5e-324, 2 ** 53));
const leaf = fc.oneof({ weight: 6, arbitrary: text }, number, fc.boolean(), fc.constant(null));
const row = fc.record(
  { id: text, n: number, yes: fc.boolean(), any: leaf, user: fc.record({ name: text, 'dotted.key': text }, { requiredKeys: [] }), list: fc.array(leaf, { maxLength: 3 }), loose: fc.dictionary(text, leaf, { maxKeys: 2 }) },
  { requiredKeys: ['id'] },
); // prettier-ignore
const rows = fc.sample(row, { numRuns: count, seed });
const columns = ['id', 'n', 'yes', 'any', 'user.name', { path: 'user.dotted.key', keys: ['user', 'dotted.key'] }, 'list', 'loose'] as const;

/** What a cell is to hold, worked out another way than by the writer. */
const carried = (value: string): string => Buffer.from(value.replaceAll('\0', '\uFFFD'), 'utf8').toString('utf8');
function cellsOf(one: (typeof rows)[number]): string[] {
  const { id, n, yes, any, user, list, loose } = one;
  return [id, n, yes, any, user?.name, user?.['dotted.key'], list, loose].map((value) => {
    if (value === undefined || value === null) return '';
    return carried(typeof value === 'object' ? JSON.stringify(value) : String(value));
  });
}
const header = ['id', 'n', 'yes', 'any', 'user.name', 'user.dotted.key', 'list', 'loose'];
const expected = [header, ...rows.map(cellsOf)];

/** The apostrophe that a cell got, as the guide says how to find it. */
const harmless = /^'(?=[\s"']*[=+\-@＝＋－＠]|["']*[\t\r\n])/;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-round-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const csv = async (name: string, options: CsvOptions = {}): Promise<string> => {
  await lastValueFrom(from(rows).pipe(toCsv(join(folder, name), { columns, formulas: 'keep', ...options })));
  return join(folder, name);
};
/** The first row that isn't as it should be; undefined when all are. */
const firstDifference = (found: readonly unknown[], wanted: readonly unknown[]): unknown => {
  if (found.length !== wanted.length) return `${found.length} rows instead of ${wanted.length}`;
  const index = wanted.findIndex((one, at) => !isDeepStrictEqual(found[at], one));
  return index === -1 ? undefined : { index, found: found[index], wanted: wanted[index] };
};
const python = (script: string, path: string): unknown =>
  JSON.parse(execFileSync('python3', ['-c', `import csv,json,sys\n${script}`, path], { maxBuffer: 1e9, encoding: 'utf8' }));
const hasPython = ((): boolean => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('python3 is not on this machine: what Python reads from our files is not tested');
    return false;
  }
})();

describe(`${count} hostile rows`, () => {
  it('come back from CSV through csv-parse', async () => {
    expect(firstDifference(parse(readFileSync(await csv('plain.csv'))), expected)).toBeUndefined();
  });

  it('come back from CSV with other delimiters, quotes and a byte order mark', async () => {
    expect(firstDifference(parse(readFileSync(await csv('semicolon.csv', { delimiter: ';', quote: "'", bom: true })), { delimiter: ';', quote: "'", escape: "'", bom: true }), expected)).toBeUndefined(); // prettier-ignore
    expect(firstDifference(parse(readFileSync(await csv('tabs.tsv')), { delimiter: '\t' }), expected)).toBeUndefined();
  });

  it('come back from CSV when formulas are made harmless, an apostrophe off', async () => {
    const cells: string[][] = parse(readFileSync(await csv('safe.csv', { formulas: 'escape' })));
    for (const cell of cells.flat()) expect(cell).not.toMatch(/^[=@\t\r\n]|^[+-](?=.*(?<!\d)[a-z_|!'"])(?=.*[^-+/=\w])/is);
    expect(
      firstDifference(
        cells.map((line) => line.map((cell) => cell.replace(harmless, ''))),
        expected,
      ),
    ).toBeUndefined();
  });

  it('come back from gzip', async () => {
    const path = await csv('packed.csv.gz');
    expect(firstDifference(parse(gunzipSync(readFileSync(path))), expected)).toBeUndefined();
  });

  it('come back from JSONL, half surrogate pairs included', async () => {
    const path = join(folder, 'rows.jsonl');
    await lastValueFrom(from(rows).pipe(toJsonl(path)));
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    expect(
      firstDifference(
        lines.map((line): unknown => JSON.parse(line)),
        rows.map((one): unknown => JSON.parse(JSON.stringify(one))),
      ),
    ).toBeUndefined();
    if (!hasPython) return;
    expect(firstDifference(python('print(json.dumps([json.loads(line) for line in open(sys.argv[1],encoding="utf-8",newline="\\n")]))', path) as unknown[],
      rows.map((one): unknown => JSON.parse(JSON.stringify(one))))).toBeUndefined(); // prettier-ignore
  });

  it.skipIf(!hasPython)("come back from CSV through Python's csv", async () => {
    const path = await csv('python.csv');
    expect(firstDifference(python('csv.field_size_limit(10**9)\nprint(json.dumps(list(csv.reader(open(sys.argv[1],encoding="utf-8",newline=""),strict=True))))', path) as unknown[], expected)).toBeUndefined(); // prettier-ignore
  });

  it('are counted where CSV replaced what it can not carry', async () => {
    const wanted = rows.flatMap((one) => {
      const { id, any, user } = one;
      return [id, any, user?.name, user?.['dotted.key']].filter((value) => typeof value === 'string' && value !== carried(value));
    });
    const report = await lastValueFrom(from(rows).pipe(toCsv(join(folder, 'counted.csv'), { columns })));
    expect(report.replaced).toBe(wanted.length);
    expect(report.rows).toBe(count);
  });
});
