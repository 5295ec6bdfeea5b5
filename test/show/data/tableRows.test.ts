import { dialectOf } from '../../../src/sinks/formats/fileFormats.ts';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuckdbRows } from '../../../src/show/data/DuckdbRows.ts';
import { filterKinds } from '../../../src/show/data/filterKinds.ts';
import { OpenTable } from '../../../src/show/data/OpenTable.ts';
import type { SourceColumn, TableSpec } from '../../../src/show/data/TableSpec.ts';
import { readTableView, type TableView } from '../../../src/show/data/TableView.ts';
import { fileKindOf } from '../../../src/sinks/index.ts';
import { withoutFormula } from '../../../src/sinks/table/csvCells.ts';
import { ofTheDay } from '../../ofTheDay.ts';
import { wholePart } from './wholePart.ts';

const column = (name: string, type?: string): SourceColumn => ({
  name,
  type,
  keys: name.split('.'),
  about: undefined,
});
const columns = [column('title', 'string'), column('rating', 'number'), column('user.name', 'string'), column('tags', 'json'), column('lat'), column('lon')]; // prettier-ignore
const names = columns.map(({ name }) => name);
/** Rows of all kinds: text in capitals, nothing, empty lists, a value that doesn't fit its type, a quote and a line feed. */
const rows = Array.from({ length: 120 }, (_, n) => ({
  title: n % 7 === 0 ? null : n % 10 === 1 ? `=SUM(tea${n})` : `${n % 2 === 0 ? 'Café' : 'TEA "house"'}\n${n}`,
  rating: n % 11 === 0 ? 'many' : n % 5,
  user: n % 3 === 0 ? undefined : { name: `user ${n % 4}` },
  tags: n % 2 === 0 ? [] : [n % 3],
  lat: n % 13 === 0 ? null : 40 + n / 100,
  lon: -73 - n / 100,
}));

const params = ['', 'q=tea', 'q=USER%203', 'sort=rating', 'sort=-rating', 'sort=user.name', 'f=empty:title', 'f=filled:tags', 'f=from:rating:3', 'f=to:rating:1', 'f=is:user.name:user%25201', 'f=not:rating:2', 'f=has:title:caf', 'f=filled:title&f=from:rating:2&sort=-title']; // prettier-ignore

describe('the rows of a table', () => {
  let folder: string;
  const open: DuckdbRows[] = [];
  const specs: TableSpec[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-rows-'));
    const cell = (value: unknown): string => {
      if (value === null || value === undefined) return '';
      return `"${(typeof value === 'string' ? withoutFormula(value) : JSON.stringify(value)).replaceAll('"', '""')}"`;
    };
    const lines = rows.map((row) => [row.title, row.rating, row.user?.name, row.tags, row.lat, row.lon].map(cell).join(','));
    await writeFile(join(folder, 'rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    await writeFile(join(folder, 'rows.csv'), `${[names.join(','), ...lines].join('\n')}\n`);
    const database = await (await DuckDBInstance.create()).connect();
    await database.run(
      `COPY (SELECT * REPLACE (CASE WHEN starts_with(title, '''=') THEN title[2:] ELSE title END AS title) FROM read_csv('${join(folder, 'rows.csv')}', all_varchar = true)) TO '${join(folder, 'rows.parquet')}'`,
    );
    database.closeSync();
    for (const file of ['rows.jsonl', 'rows.csv', 'rows.parquet']) {
      const info = { file, stage: undefined, call: undefined, columns, rows: undefined, bytes: 0, sqlName: 'places', kind: 'rows', related: [], growing: false, fault: undefined } as const; // prettier-ignore
      const spec: TableSpec = {
        info,
        columns,
        path: join(folder, file),
        kind: fileKindOf(file)!,
        csv: dialectOf(fileKindOf(file)!),
      };
      specs.push(spec);
      open.push(await DuckdbRows.open(spec));
    }
  });
  afterAll(async () => {
    for (const one of open) one.close();
    await rm(folder, { recursive: true, force: true });
  });
  const view = (text: string): TableView => readTableView(new URLSearchParams(text), names);

  it.each(ofTheDay(params, Math.ceil(params.length / 4)))('are the same from JSONL, CSV and Parquet, for %j', async (text) => {
    const [first, ...others] = await Promise.all(
      open.map(async (one) => {
        const { rows, total } = await wholePart(one, view(text), 0);
        return { total, rows: rows.map(({ n, cells }) => [n, ...cells.map((cell) => (cell === '' ? null : cell))]) };
      }),
    );
    expect(first!.rows).toHaveLength(first!.total!);
    for (const other of others) expect(other).toEqual(first);
  });

  // Each loads three files.
  it.each(ofTheDay(params, 2))('are the same while the file is still loaded, as it is or packed, for %j', async (text) => {
    const [spec] = specs;
    const packed = join(folder, 'rows.jsonl.gz');
    await writeFile(packed, gzipSync(await readFile(spec!.path)));
    for (const [one, like] of [
      [spec!, open[0]!],
      [{ ...spec!, path: packed, kind: fileKindOf(packed)! }, open[0]!],
      [specs[1]!, open[1]!],
    ] as const) {
      const table = new OpenTable(one);
      for (const offset of [0, 100]) expect(await wholePart(table, view(text), offset)).toEqual(await wholePart(like, view(text), offset));
      table.close();
    }
  });

  it('are found by each filter there is', () => {
    const used = params.flatMap((text) => new URLSearchParams(text).getAll('f')).map((filter) => filter.split(':')[0]);
    expect(new Set(used)).toEqual(new Set(Object.keys(filterKinds)));
  });

  it('are on the map where they have coordinates', async () => {
    for (const one of open) {
      const points = await one.points({ latitude: 4, longitude: 5, colour: 1 }, view(''), 1000);
      expect(points).toHaveLength(rows.filter(({ lat }) => lat !== null).length);
      expect(points[0]).toEqual([1, 40.01, -73.01, '1']);
    }
  });

  it('have a page that ends where the rows end, and no row beyond', async () => {
    for (const one of open) {
      expect((await one.part(view(''), 110, 100)).rows.map(({ n }) => n)).toEqual([110, 111, 112, 113, 114, 115, 116, 117, 118, 119]);
      expect((await one.part(view(''), 500, 100)).rows).toEqual([]);
      await expect(one.row(120)).rejects.toThrow('There is no row 120.');
      expect(await one.row(1)).toMatchObject({ rating: one === open[0] ? 1 : '1' });
    }
  });

  it('leave out a last line that is half written', async () => {
    const [spec] = specs;
    const path = join(folder, 'torn.jsonl');
    await writeFile(path, `${rows.slice(0, 3).map((row) => `${JSON.stringify(row)}\n`).join('')}{"title":"ha`); // prettier-ignore
    const torn = { ...spec!, path, info: { ...spec!.info, growing: true } };
    const one = await DuckdbRows.open(torn);
    expect(await one.part(view(''), 0, 10)).toMatchObject({ total: 3 });
    one.close();
    const table = new OpenTable(torn);
    expect(await table.part(view(''), 0, 2)).toMatchObject({ rows: [{ n: 0 }, { n: 1 }] });
    table.close();
  });

  it('can open nothing else once they are loaded', async () => {
    for (const rows of open) {
      const sql = { ...view(''), search: "') UNION SELECT * FROM read_csv('/etc/passwd') --" };
      expect((await rows.part(sql, 0, 10)).rows).toEqual([]);
    }
  });
});
