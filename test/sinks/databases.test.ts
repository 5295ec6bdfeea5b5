import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { EMPTY, concat, from, lastValueFrom, of, throwError } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileSystem } from '../../src/files/FileSystem.ts';
import { nodeFileSystem, toDuckdb, toSqlite } from '../../src/sinks/index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-databases-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const rows = [
  { review_id: '12345678901234567890', likes: 3, rating: 4.5, open: true, at: '2024-02-29T23:59:59Z', day: '2024-02-29', text: '', user: { name: 'Zoë "😀"\n' }, tags: ['a', { b: null }] },
  { review_id: "x'; DROP TABLE rows; --", likes: null, rating: 2, open: false, at: '2024-03-01T00:00:00.5+01:00', day: null, user: {}, tags: [] },
]; // prettier-ignore

const duckdb = async (name: string, sql: string): Promise<unknown[][]> => {
  const database = await DuckDBInstance.create(at(name), { access_mode: 'READ_ONLY' });
  const connection = await database.connect();
  const found = (await connection.runAndReadAll(sql)).getRowsJson();
  connection.closeSync();
  database.closeSync();
  return found;
};
const reader = `import json,sqlite3,sys
for line in sys.stdin:
  path, sql = json.loads(line)
  database = sqlite3.connect(path)
  print(json.dumps(database.execute(sql).fetchall()), flush=True)
  database.close()`;
let python: ChildProcess;
let answers: AsyncIterator<string>;
beforeAll(() => {
  python = spawn('python3', ['-c', reader], { stdio: ['pipe', 'pipe', 'inherit'] });
  answers = createInterface({ input: python.stdout! })[Symbol.asyncIterator]();
});
afterAll(() => void python.stdin!.end());
/** Through Python's sqlite3, which is another SQLite than the one that wrote. */
const sqlite = async (name: string, sql: string): Promise<unknown> => {
  python.stdin!.write(`${JSON.stringify([at(name), sql])}\n`);
  const { value, done } = await answers.next();
  if (done === true) throw new Error('Python ended');
  return JSON.parse(value as string);
};

describe('toDuckdb', () => {
  it('writes a typed table with an index on the id, and reports the file', async () => {
    const report = await lastValueFrom(from(rows).pipe(toDuckdb(at('reviews.duckdb'))));
    const file = readFileSync(at('reviews.duckdb'));
    expect(report).toEqual({ path: at('reviews.duckdb'), rows: 2, bytes: file.length, sha256: createHash('sha256').update(file).digest('hex') }); // prettier-ignore
    expect(statSync(at('reviews.duckdb')).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(folder)).toEqual(['reviews.duckdb']);
    expect(await duckdb('reviews.duckdb', "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'reviews' ORDER BY ordinal_position")).toEqual([
      ['review_id', 'VARCHAR'], ['likes', 'BIGINT'], ['rating', 'DOUBLE'], ['open', 'BOOLEAN'], ['at', 'TIMESTAMP WITH TIME ZONE'],
      ['day', 'DATE'], ['text', 'VARCHAR'], ['user.name', 'VARCHAR'], ['tags', 'JSON'],
    ]); // prettier-ignore
    expect(await duckdb('reviews.duckdb', 'SELECT * REPLACE (epoch_ms("at")::VARCHAR AS "at") FROM reviews')).toEqual([
      ['12345678901234567890', '3', 4.5, true, '1709251199000', '2024-02-29', '', 'Zoë "😀"\n', '["a",{"b":null}]'],
      ["x'; DROP TABLE rows; --", null, 2, false, '1709247600500', null, null, null, '[]'],
    ]);
    expect(await duckdb('reviews.duckdb', 'SELECT expressions FROM duckdb_indexes()')).toEqual([["[review_id]"]]); // prettier-ignore
  });

  it('has JSON that DuckDB takes apart, whatever came', async () => {
    await lastValueFrom(from([{ c: ['a\ud800'] }, { c: ['\0\\ud83d'] }]).pipe(toDuckdb(at('rows.duckdb'))));
    expect(await duckdb('rows.duckdb', "SELECT c->>'$[0]' FROM rows")).toEqual([['a\uFFFD'], ['\0\\ud83d']]);
  });
});

describe('toSqlite', () => {
  it('writes a typed table with an index on the id, and reports the file', async () => {
    const report = await lastValueFrom(from(rows).pipe(toSqlite(at('reviews.sqlite'))));
    const file = readFileSync(at('reviews.sqlite'));
    expect(report).toEqual({ path: at('reviews.sqlite'), rows: 2, bytes: file.length, sha256: createHash('sha256').update(file).digest('hex') }); // prettier-ignore
    expect(statSync(at('reviews.sqlite')).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(folder)).toEqual(['reviews.sqlite']);
    expect(await sqlite('reviews.sqlite', 'SELECT name, type FROM pragma_table_info("reviews")')).toEqual([
      ['review_id', 'TEXT'], ['likes', 'INTEGER'], ['rating', 'REAL'], ['open', 'INTEGER'], ['at', 'TEXT'], ['day', 'TEXT'],
      ['text', 'TEXT'], ['user.name', 'TEXT'], ['tags', 'TEXT'],
    ]); // prettier-ignore
    expect(await sqlite('reviews.sqlite', 'SELECT * FROM reviews')).toEqual([
      ['12345678901234567890', 3, 4.5, 1, '2024-02-29T23:59:59Z', '2024-02-29', '', 'Zoë "😀"\n', '["a",{"b":null}]'],
      ["x'; DROP TABLE rows; --", null, 2, 0, '2024-03-01T00:00:00.5+01:00', null, null, null, '[]'],
    ]);
    expect(await sqlite('reviews.sqlite', "SELECT name FROM sqlite_master WHERE type = 'index'")).toEqual([['reviews_review_id']]);
  });
});

describe.each([
  ['duckdb', toDuckdb],
  ['sqlite', toSqlite],
] as const)('a %s file', (ending, sink) => {
  const name = `rows.${ending}`;
  const read = async (sql: string): Promise<unknown> => (ending === 'duckdb' ? duckdb(name, sql) : sqlite(name, sql));

  it('takes as many columns as SQLite can, and refuses more when it is called, not after the last row', async () => {
    const columns = Array.from({ length: 2000 }, (_, nth) => ({ path: `column_${nth}` }));
    await lastValueFrom(from([{ column_0: 1, column_1999: 2 }]).pipe(toSqlite(at('wide.sqlite'), { columns })));
    expect(await sqlite('wide.sqlite', 'SELECT column_0, column_1999 FROM wide')).toEqual([[1, 2]]);
    const message = 'toSqlite: columns must be at most 2000, not 2001: SQLite has no more. Parquet and DuckDB have';
    expect(() => toSqlite(at('wider.sqlite'), { columns: [...columns, { path: 'x' }] })).toThrow(new RangeError(message));
    expect(() => toSqlite(at('wider.sqlite'), { columns, extra: true })).toThrow(new RangeError(message));
  });

  it('takes the table and the index that it is told', async () => {
    const options = { table: 'my "rows"', index: ['b', 'a'], columns: ['a', 'b'] };
    await lastValueFrom(from([{ a: 1, b: 'x' }]).pipe(sink(at(name), options)));
    expect(await read('SELECT b FROM "my ""rows"""')).toEqual([['x']]);
    await lastValueFrom(from([{ id: 'x' }]).pipe(sink(at(name), { index: [], overwrite: true })));
    const indexes = ending === 'duckdb' ? 'SELECT * FROM duckdb_indexes()' : "SELECT * FROM sqlite_master WHERE type = 'index'";
    expect(await read(indexes)).toEqual([]);
  });

  it('has each column, also where names differ in capitals only', async () => {
    await lastValueFrom(from([{ id: 1, ID: 2, 'a"b': 3 }]).pipe(sink(at(name))));
    expect(await read('SELECT id, "ID_2", "a""b" FROM rows')).toEqual([[ending === 'duckdb' ? '1' : 1, ending === 'duckdb' ? '2' : 2, ending === 'duckdb' ? '3' : 3]]); // prettier-ignore
  });

  it('has U+FFFD for what it can not hold, and counts those values', async () => {
    const torn = 'a\ud800😀b\udc00';
    const odd = [{ a: torn, b: 'x\0y', c: [torn], 'd\udc00': 1 }, { a: 'whole', b: '\ufffd', c: ['\0\\ud83d'] }]; // prettier-ignore
    const { replaced } = await lastValueFrom(from(odd).pipe(sink(at(name))));
    const [nul, list] = ending === 'duckdb' ? ['x\0y', ['a\uFFFD😀b\uFFFD']] : ['x\uFFFDy', [torn]];
    expect([replaced, await read('SELECT * FROM rows')]).toEqual([
      2,
      [
        ['a\uFFFD😀b\uFFFD', nul, JSON.stringify(list), ending === 'duckdb' ? '1' : 1],
        ['whole', '\ufffd', '["\\u0000\\\\ud83d"]', null],
      ],
    ]);
  });

  it('has null for an empty text among dates, and no other type', async () => {
    const typed = (path: string, type: 'timestamp' | 'date') => ({ path, keys: [path], type });
    const columns = [typed('at', 'timestamp'), typed('day', 'date')];
    const rows = [{ at: '2024-02-29T23:59:59Z', day: '2024-02-29' }, { at: '', day: '' }]; // prettier-ignore
    await lastValueFrom(from(rows).pipe(sink(at(name), { columns })));
    expect(await read('SELECT "at" IS NULL, "day" IS NULL FROM rows ORDER BY 1')).toEqual(
      ending === 'duckdb' ? [[false, false], [true, true]] : [[0, 0], [1, 1]], // prettier-ignore
    );
    const types = ending === 'duckdb' ? ['TIMESTAMP WITH TIME ZONE', 'DATE'] : ['text', 'text'];
    expect(await read('SELECT typeof("at"), typeof("day") FROM rows WHERE "at" IS NOT NULL')).toEqual([types]);
  });

  it('is there without a row, too', async () => {
    await lastValueFrom(EMPTY.pipe(sink(at(name), { columns: ['a'] })));
    expect(await read('SELECT count(*) FROM rows')).toEqual([[ending === 'duckdb' ? '0' : 0]]);
  });

  it.each([
    ['is full', { code: 'ENOSPC' }, 'the disk is full (ENOSPC)'],
    ['has room', undefined, 'disk I/O error'],
  ])('says what is wrong if a database tells of a fault only and the disk %s', async (_, full, why) => {
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      build: async (path) => {
        writeFileSync(path, 'draft');
        throw new Error('disk I/O error');
      },
      open: (path, flags, mode) => {
        const file = nodeFileSystem.open(path, flags, mode);
        if (flags !== 'r+' || full === undefined) return file;
        const writeSync = (): never => {
          throw Object.assign(new Error('no space left'), full);
        };
        return { ...file, writeSync };
      },
    };
    await expect(lastValueFrom(from(rows).pipe(toSqlite(at('full.sqlite'), { fileSystem } as object)))).rejects.toThrow(
      `making the sqlite file failed: ${why}`,
    );
  });

  it('leaves the rows as JSONL when the stream fails, and the old file as it was', async () => {
    writeFileSync(at(name), 'old');
    const failing = concat(of({ a: 1 }), throwError(() => new Error('no'))); // prettier-ignore
    await expect(lastValueFrom(failing.pipe(sink(at(name), { overwrite: true })))).rejects.toThrow(`1 whole row is in ${at(name)}.part`);
    expect([readFileSync(at(name), 'utf8'), readFileSync(at(`${name}.part`), 'utf8')]).toEqual(['old', '{"a":1}\n']);
  });

  it('refuses unsupported options when it is called', () => {
    expect(() => sink('rows.csv')).toThrow('rows.csv is the name of a csv file; use toCsv for that');
    expect(() => sink(name, { append: true } as object)).toThrow("there is no option 'append'");
    expect(() => sink(name, { tabel: 'x' } as object)).toThrow("there is no option 'tabel'; did you mean 'table'?");
  });
});
