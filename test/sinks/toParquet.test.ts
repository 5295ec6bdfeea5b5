import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { EMPTY, concat, from, lastValueFrom, map, of, range, throwError } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setOrigin, type OriginColumn } from '../../operators/rowOrigin.ts';
import { toCsv, toJsonl, toParquet } from '../../src/sinks/index.ts';
import { withoutPackage } from '../withoutPackage.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-parquet-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const bytes = (name: string): ArrayBuffer => new Uint8Array(readFileSync(at(name))).buffer;
const column = (path: string, type: OriginColumn['type']): OriginColumn => ({ path, keys: path.split('.'), type });
const columns = [
  column('id', 'integer'),
  column('rating', 'number'),
  column('open', 'boolean'),
  column('title', 'string'),
  column('user.name', 'string'),
  column('images', 'json'),
];
const rowOf = (id: number): object => {
  const row = {
    id,
    ...(id % 3 === 0 ? {} : { rating: id / 4 }),
    open: id % 2 === 0,
    title: `"Café" =${id}, 😀\nnext`,
    user: { name: id % 5 === 0 ? null : `n${id}` },
    images: [`a${id}`, { w: id }],
  };
  setOrigin(row, { operation: 'mapsSearch', columns });
  return row;
};

describe('toParquet', () => {
  it('has U+FFFD for half a surrogate pair in text, and counts those values', async () => {
    const { replaced } = await lastValueFrom(from([{ a: 'x\ud800', b: ['\udc00'] }, { a: '\0\ufffd' }]).pipe(toParquet(at('rows.parquet')))); // prettier-ignore
    expect(replaced).toBe(2);
    expect(await parquetReadObjects({ file: bytes('rows.parquet') })).toEqual([{ a: 'x\ufffd', b: ['\ufffd'] }, { a: '\0\ufffd', b: null }]); // prettier-ignore
    const connection = await (await DuckDBInstance.create()).connect();
    const found = await connection.runAndReadAll(`SELECT b->>'$[0]' FROM '${at('rows.parquet')}' WHERE b IS NOT NULL`);
    expect(found.getRows()).toEqual([['\ufffd']]);
    connection.closeSync();
  });

  it('types the columns by the operation, and reports the file', async () => {
    const report = await lastValueFrom(range(0, 100).pipe(map(rowOf), toParquet(at('rows.parquet'))));
    const schema = parquetMetadata(bytes('rows.parquet')).schema.slice(1);
    expect(schema.map(({ name, type, converted_type }) => [name, type, converted_type])).toEqual([
      ['id', 'INT64', undefined],
      ['rating', 'DOUBLE', undefined],
      ['open', 'BOOLEAN', undefined],
      ['title', 'BYTE_ARRAY', 'UTF8'],
      ['user.name', 'BYTE_ARRAY', 'UTF8'],
      ['images', 'BYTE_ARRAY', 'JSON'],
    ]);
    const rows = await parquetReadObjects({ file: bytes('rows.parquet') });
    expect(rows[7]).toEqual({
      id: 7n,
      rating: 1.75,
      open: false,
      title: '"Café" =7, 😀\nnext',
      'user.name': 'n7',
      images: ['a7', { w: 7 }],
    });
    expect(rows[0]).toMatchObject({ rating: null, 'user.name': null });
    const file = readFileSync(at('rows.parquet'));
    expect(report).toEqual({
      path: at('rows.parquet'),
      rows: 100,
      bytes: file.length,
      sha256: createHash('sha256').update(file).digest('hex'),
    });
    expect(readdirSync(folder)).toEqual(['rows.parquet']);
  });

  it('widens a column rather than lose a value that does not fit', async () => {
    const rows = [
      { id: 1, rating: 4, open: true, x: 1 },
      { id: 1.5, rating: 'n/a', open: 'later', x: '2' },
    ];
    await lastValueFrom(from(rows).pipe(toParquet(at('rows.parquet'), { columns: [...columns.slice(0, 3), 'x'] })));
    expect(await parquetReadObjects({ file: bytes('rows.parquet') })).toEqual([
      { id: 1, rating: '4', open: 'true', x: '1' },
      { id: 1.5, rating: 'n/a', open: 'later', x: '2' },
    ]);
  });

  it('finds the types of columns that nothing is documented of', async () => {
    const rows = [
      { a: 1, b: 1.5, c: true, d: { x: 1 }, e: 'x' },
      { a: 2, b: 2, c: false, d: [1], e: 3, f: null },
    ];
    await lastValueFrom(from(rows).pipe(toParquet(at('rows.parquet'), { columns: ['a', 'b', 'c', 'd', 'e', 'f'] })));
    expect(await parquetReadObjects({ file: bytes('rows.parquet') })).toEqual([
      { a: 1n, b: 1.5, c: true, d: { x: 1 }, e: 'x', f: null },
      { a: 2n, b: 2, c: false, d: [1], e: '3', f: null },
    ]);
  });

  it('counts fields that no column takes, or keeps them as JSON', async () => {
    const rows = [{ a: 1, b: { c: 2 } }, { a: 2 }];
    const report = await lastValueFrom(from(rows).pipe(toParquet(at('a.parquet'), { columns: ['a'] })));
    expect(report.unlisted).toEqual({ b: 1 });
    const extra = await lastValueFrom(from(rows).pipe(toParquet(at('b.parquet'), { columns: ['a'], extra: true })));
    expect(extra.unlisted).toBeUndefined();
    expect(await parquetReadObjects({ file: bytes('b.parquet') })).toEqual([
      { a: 1n, _extra: { b: { c: 2 } } },
      { a: 2n, _extra: null },
    ]);
  });

  it('has the columns of all rows if none are given', async () => {
    await lastValueFrom(from([{ a: 1 }, { b: { c: 'x' }, d: [] }]).pipe(toParquet(at('rows.parquet'))));
    expect(await parquetReadObjects({ file: bytes('rows.parquet') })).toEqual([
      { a: 1n, 'b.c': null, d: null },
      { a: null, 'b.c': 'x', d: [] },
    ]);
  });

  it('writes ISO times and dates as such, as long as all of a column are, and ids as text', async () => {
    const rows = [
      { at: '2024-02-29T23:59:59.123456Z', day: '2024-02-29', odd: '2024-02-29', id: '12345678901234567890', local: '2024-01-01T00:00:00' },
      { at: '2024-03-01T01:00:00+01:00', day: null, odd: '2024-02-30', id: '7', local: '2024-01-01T00:00:00' },
    ]; // prettier-ignore
    await lastValueFrom(from(rows).pipe(toParquet(at('rows.parquet'))));
    const sql = `SELECT typeof("at"), epoch_us("at")::VARCHAR, typeof(day), day::VARCHAR, typeof(odd), typeof(id), id, typeof(local) FROM '${at('rows.parquet')}'`;
    const found = await (await (await DuckDBInstance.create()).connect()).runAndReadAll(sql);
    expect(found.getRowsJS()).toEqual([
      ['TIMESTAMP WITH TIME ZONE', '1709251199123456', 'DATE', '2024-02-29', 'VARCHAR', 'VARCHAR', '12345678901234567890', 'VARCHAR'],
      ['TIMESTAMP WITH TIME ZONE', '1709251200000000', 'DATE', null, 'VARCHAR', 'VARCHAR', '7', 'VARCHAR'],
    ]);
  });

  it('has statistics, and keeps a key that is called __proto__', async () => {
    const rows = [
      { n: 3, j: JSON.parse('{"__proto__":{"a":1}}') as object },
      { n: 1, j: ['x'] },
    ];
    await lastValueFrom(from(rows).pipe(toParquet(at('rows.parquet'))));
    const [group] = parquetMetadata(bytes('rows.parquet')).row_groups;
    expect(group!.columns[0]!.meta_data!.statistics).toMatchObject({ min_value: 1n, max_value: 3n, null_count: 0n });
    const sql = `SELECT typeof(j), j::VARCHAR FROM '${at('rows.parquet')}'`;
    const found = await (await (await DuckDBInstance.create()).connect()).runAndReadAll(sql);
    expect(found.getRowsJS()).toEqual([['JSON', '{"__proto__":{"a":1}}'], ['JSON', '["x"]']]); // prettier-ignore
  });

  it('writes one row group after the other', async () => {
    await lastValueFrom(range(0, 45_000).pipe(map((id) => ({ id })), toParquet(at('rows.parquet'), { columns: ['id'] }))); // prettier-ignore
    const { row_groups: groups, num_rows: rows } = parquetMetadata(bytes('rows.parquet'));
    expect([groups.map((group) => group.num_rows), rows]).toEqual([[20_000n, 20_000n, 5_000n], 45_000n]);
  });

  it('writes an empty table when no row came', async () => {
    await lastValueFrom(EMPTY.pipe(toParquet(at('rows.parquet'), { columns })));
    expect(await parquetReadObjects({ file: bytes('rows.parquet') })).toEqual([]);
    await lastValueFrom(EMPTY.pipe(toParquet(at('none.parquet'))));
    expect(parquetMetadata(bytes('none.parquet')).schema.map(({ name }) => name)).toEqual(['root', '_extra']);
  });

  it('leaves the rows as JSONL beside the path when the stream fails', async () => {
    const source = concat(
      of(rowOf(1)),
      throwError(() => new Error('no')),
    );
    await expect(lastValueFrom(source.pipe(toParquet(at('rows.parquet'))))).rejects.toThrow(/1 whole row is in .*rows\.parquet\.part/);
    expect(readdirSync(folder)).toEqual(['rows.parquet.part']);
    expect(JSON.parse(readFileSync(at('rows.parquet.part'), 'utf8'))).toEqual(rowOf(1));
  });

  it('replaces an old file with overwrite', async () => {
    writeFileSync(at('rows.parquet'), 'old');
    await lastValueFrom(of(rowOf(1)).pipe(toParquet(at('rows.parquet'), { overwrite: true })));
    expect(await parquetReadObjects({ file: bytes('rows.parquet') })).toHaveLength(1);
  });

  it('names the package to install when it is missing, before the source is subscribed', () =>
    withoutPackage('hyparquet-writer', async () => {
      const source = throwError(() => new Error('the source was subscribed'));
      await expect(lastValueFrom(source.pipe(toParquet(at('rows.parquet'))))).rejects.toThrow(
        'Parquet needs one more package: npm install hyparquet-writer',
      );
      expect(readdirSync(folder)).toEqual([]);
    }));
});

describe('DuckDB', () => {
  let instance: DuckDBInstance;
  let duck: DuckDBConnection;
  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:');
    duck = await instance.connect();
  });
  afterAll(() => {
    duck.closeSync();
    instance.closeSync();
  });

  it('reads the same counts, sums and texts from JSONL, CSV, their gzips and Parquet', async () => {
    const rows = range(0, 3000).pipe(map(rowOf));
    await lastValueFrom(rows.pipe(toJsonl(at('rows.jsonl'))));
    await lastValueFrom(rows.pipe(toJsonl(at('rows.jsonl.gz'))));
    await lastValueFrom(rows.pipe(toCsv(at('rows.csv'), { bom: true })));
    await lastValueFrom(rows.pipe(toCsv(at('rows.csv.gz'))));
    await lastValueFrom(rows.pipe(toParquet(at('rows.parquet'))));
    const readers: { readonly [file: string]: string } = {
      'rows.jsonl': 'read_json_auto',
      'rows.jsonl.gz': 'read_json_auto',
      'rows.csv': 'read_csv_auto',
      'rows.csv.gz': 'read_csv_auto',
      'rows.parquet': 'read_parquet',
    };
    const figures: unknown[] = [];
    for (const [file, reader] of Object.entries(readers)) {
      const name = file.includes('jsonl') ? '"user".name' : '"user.name"';
      const query = `select count(*)::int as n, sum(id)::double as ids, sum(rating)::double as ratings, count(rating)::int as rated,
        sum(open::int)::int as open, max(title) as title, sum(length(title))::int as long, count(nullif(${name}, ''))::int as names,
        max(images::json->>0) as image from ${reader}('${at(file)}')`;
      figures.push((await duck.runAndReadAll(query)).getRowObjects()[0]);
    }
    const title = Array.from({ length: 3000 }, (_, id) => `"Café" =${id}, 😀\nnext`)
      .sort()
      .at(-1);
    expect(figures[0]).toMatchObject({ n: 3000, ids: 4498500, rated: 2000, open: 1500, title, names: 2400, image: 'a999' });
    for (const figure of figures) expect(figure).toEqual(figures[0]);
  });
});
