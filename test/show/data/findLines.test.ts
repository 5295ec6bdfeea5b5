import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filterKinds, type FilterName } from '../../../src/show/data/filterKinds.ts';
import { findLines } from '../../../src/show/data/findLines.ts';
import type { JsonLine } from '../../../src/show/data/JsonLine.ts';
import { bytesOf } from '../../../src/show/data/lineBlocks.ts';
import { LineIndex } from '../../../src/show/data/LineIndex.ts';
import { linePattern } from '../../../src/show/data/linePattern.ts';
import { cellOf, parseLine, type SourceColumn } from '../../../src/show/data/TableSpec.ts';
import { fitsView, type TableView } from '../../../src/show/data/TableView.ts';
import { nodeFileSystem } from '../../../src/sinks/index.ts';
import { ofTheDay } from '../../ofTheDay.ts';
import { Random } from '../../simulation/Random.ts';

const column = (name: string, keys = name.split('.')): SourceColumn => ({ name, keys, type: undefined, about: undefined, expected: undefined }); // prettier-ignore
const columns = [
  ...['title', 'rating', 'user.name', 'user.rating', 'tags', 'größe', 'a.b.c', 'a/b', 'missing', 'say "hi"'].map((name) => column(name)),
  column('name', ['user', 'name']),
];
const texts = ['Café', 'KIOSK', 'kiosk \u212A', 'İstanbul', 'ΣΊΣΥΦΟΣ', 'ẞ straße', 'Кофе', '咖啡', '👍 ok', 'a "quote"', 'back\\slash', 'a/b/c', 'two\nlines', 'tab\t', '', 'title', '","rating":4,"', '{"rating":4}', 'true', 'null', '400', '4e2', '[]', 'r12', 'e', '.', 'x'.repeat(300)]; // prettier-ignore
const numbers = [0, -0, 4, 400, -1.5, 0.1, 1e21, 1e-7, 123456789012345, 40.74061234567891];

/** One way to write JSON, and what it does to the text of a row. */
const writers: { readonly [name: string]: (row: object) => string } = {
  'as trawler does': (row) => JSON.stringify(row),
  'with spaces': (row) => JSON.stringify(row, null, 1).replaceAll('\n', ' '),
  'with control characters': (row) => JSON.stringify({ ...row, title: '\u0001 Café \uD800' }),
  'with escapes': (row) => JSON.stringify(row).replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'with escaped slashes': (row) => JSON.stringify(row).replaceAll('/', '\\/'),
  'with other numbers': (row) => JSON.stringify(row).replaceAll(/(?<=[:,[])400(?=[,}\]])/g, '4.00e2').replaceAll(/(?<=[:,[])4(?=[,}\]])/g, '4.0').replaceAll(/:0(?=[,}])/g, ':90071992547409931'), // prettier-ignore
  'with other line ends': (row) => `${JSON.stringify(row)}\r`,
};

/** Each takes as long as twenty other tests. */
const [usual, ...others] = Object.keys(writers);
const some = [usual!, ...ofTheDay(others, 1)];

function anyRow(random: Random): object {
  const text = (): string => `${random.pick(texts)}${random.happens(0.3) ? random.pick(texts) : ''}`;
  const simple = (): unknown => random.pick([text, text, () => random.pick(numbers), () => null, () => true, () => false])();
  const value = (): unknown => random.pick([simple, simple, () => [simple(), simple()], () => ({ rating: simple(), title: simple() }), () => [], () => ({})])(); // prettier-ignore
  const parts: [string, unknown][] = [
    ['title', value()],
    ['rating', value()],
    ['user', random.happens(0.7) ? { link: value(), name: value(), rating: value() } : value()],
    ['tags', [value(), value()]],
    ['größe', value()],
    ['a', { rating: 4, b: { c: value() } }],
    ['a.b.c', value()],
    ['a/b', value()],
    ['say "hi"', value()],
    ['name', value()],
    [text(), value()],
  ];
  const kept = parts.filter(([key]) => random.happens(key === 'a.b.c' || key === 'name' ? 0.05 : 0.7));
  return Object.fromEntries(kept.map((part) => ({ part, by: random.next() })).toSorted((one, other) => one.by - other.by).map(({ part }) => part)); // prettier-ignore
}

function anyView(random: Random, rows: readonly object[]): TableView {
  const wanted = (at: number): string => {
    const cell = cellOf(random.pick(rows), columns[at]!) ?? random.pick(texts);
    const from = random.whole(0, 3);
    const part = random.happens(0.5) ? cell : cell.slice(from, from + random.whole(1, 6));
    return random.pick([part, part.toUpperCase(), part.toLowerCase()]);
  };
  const filter = (): TableView['filters'][number] => {
    const at = random.whole(0, columns.length - 1);
    return { column: at, kind: random.pick(Object.keys(filterKinds) as FilterName[]), value: wanted(at) };
  };
  const search = random.happens(0.3) ? wanted(random.whole(0, columns.length - 1)) : '';
  const filters = Array.from({ length: search === '' ? random.whole(1, 2) : random.whole(0, 1) }, filter);
  return { search, filters, sort: undefined };
}

async function* linesOf(path: string, view: TableView): AsyncGenerator<Iterable<JsonLine>> {
  const file = nodeFileSystem.open(path, 'r');
  yield* findLines({ file: basename(path), bytes: bytesOf(file, 0, file.size()) }, { view, columns });
  file.close();
}

describe('findLines', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-lines-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(some)('finds each line that fits, and reads its cells as a parser does, in a file written %s', async (name) => {
    const random = new Random(35);
    const path = join(folder, 'rows.jsonl');
    const lines = Array.from({ length: 100 }, () => writers[name]!(anyRow(random)));
    await writeFile(path, `${lines.join('\n')}\n\n{"title":"half`);
    const rows = lines.map((line, n) => parseLine(Buffer.from(line), 'rows', n));
    const cells: unknown[][] = [];
    let withPattern = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      const view = anyView(random, rows);
      if (linePattern(view) !== undefined) withPattern += 1;
      const found: number[] = [];
      for await (const some of linesOf(path, view))
        for (const line of some) {
          if (turn < 10) cells.push(...columns.map((one) => [lines[line.n], one, line.cell(one), cellOf(rows[line.n]!, one)]));
          if (fitsView(view, columns, line)) found.push(line.n);
        }
      const expected = rows.flatMap((row, n) => (fitsView(view, columns, { n, cell: (one) => cellOf(row, one), row: () => row }) ? [n] : [])); // prettier-ignore
      expect([view, found]).toEqual([view, expected]);
    }
    expect(withPattern).toBeGreaterThan(50);
    expect(cells.length).toBeGreaterThan(1000);
    expect(cells.filter(([, , read, parsed]) => read !== parsed)).toEqual([]);
  });

  it('reads lines of any length, each with its number', async () => {
    const path = join(folder, 'long.jsonl');
    const row = (n: number): object => ({ n, text: 'x'.repeat(n === 3 ? 3_000_000 : n * 7000) });
    await writeFile(path, Array.from({ length: 40 }, (_, n) => `${JSON.stringify(row(n))}\n`).join(''));
    const found: number[] = [];
    const view: TableView = { search: '', filters: [{ kind: 'has', column: 0, value: 'xx' }], sort: undefined };
    for await (const some of linesOf(path, view))
      for (const line of some) {
        expect(line.row()).toEqual(row(line.n));
        found.push(line.n);
      }
    expect(found).toEqual(Array.from({ length: 39 }, (_, n) => n + 1)); // the first has no x
    const index = await LineIndex.open(path);
    expect([index.lines, index.row(3), index.row(39)]).toEqual([40, row(3), row(39)]);
    index.close();
  });

  it('parses no line that the bytes rule out', () => {
    const patternOf = (text: string, kind: FilterName = 'has'): RegExp | undefined =>
      linePattern({ search: '', filters: [{ kind, column: 0, value: text }], sort: undefined });
    expect(patternOf('r999', 'is')?.source).toBe('"r999"');
    expect(patternOf('Modern "house"')?.source).toContain('modern');
    expect(patternOf('кофе')?.test(Buffer.from('КОФЕ').toString('latin1'))).toBe(true);
    expect(patternOf('kiosk')?.test(Buffer.from('\u212AİOS\u212A').toString('latin1'))).toBe(true);
    expect(patternOf('":"')).toBeUndefined();
    expect(patternOf('4', 'from')).toBeUndefined();
  });
});
