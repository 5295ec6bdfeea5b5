import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { from, lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnsOf, type Column } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';
import { loadStatement, toCsv, toJsonl, type Database } from '../../src/sinks/index.ts';
import { columnsFor, makeRows, type Row, values } from './documentedRows.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { postgresBin, startPostgres, type Postgres } from '../startPostgres.ts';

const hasSqlite = ((): boolean => {
  try {
    execFileSync('sqlite3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('sqlite3 is not on this machine, so nothing is loaded by its .import: apt-get install sqlite3');
    return false;
  }
})();

const hasPython = ((): boolean => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('python3 is not on this machine, so its csv reads nothing');
    return false;
  }
})();

const many = process.env['TRAWLER_LONG'] === '1' ? 20_000 : 300;
let manyRows: Row[] | undefined;
function rowsOf(columns: readonly Column[], count: number): readonly Row[] {
  return count < many ? makeRows(columns, count) : (manyRows ??= makeRows(columns, count));
}

const valueAt = (row: Row, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Row)[key] : undefined), row);
/** What text can hold: U+FFFD stands for half a surrogate pair, and for a NUL unless it is allowed. */
const held = (value: unknown, nul: boolean): unknown => {
  if (typeof value === 'string') return Buffer.from(nul ? value : value.replaceAll('\0', '\ufffd')).toString();
  if (Array.isArray(value)) return value.map((one) => held(one, nul));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [held(key, nul), held(one, nul)]));
};
/** JSON as another service writes it: escapes for all but ASCII, in small or large letters. */
const escaped = (line: string): string =>
  line.replaceAll(/[\u0080-\uffff]/g, (unit, at: number) => {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${at % 2 === 0 ? digits : digits.toUpperCase()}`;
  });

/** What a column is to hold, read off the JSONL. */
function wanted(rows: readonly Row[], columns: readonly Column[]): unknown[][] {
  return rows.map((row) =>
    columns.map(({ keys, type }) => {
      const value = valueAt(row, keys) ?? null;
      if (value === null || (value === '' && (type === 'timestamp' || type === 'date'))) return null;
      if (type === 'timestamp') return Date.parse(value as string);
      return value;
    }),
  );
}

/** What a database gave back, in the same form. */
function found(row: Row, columns: readonly Column[]): unknown[] {
  return columns.map(({ path, type }) => {
    const value = row[path];
    if (value === null || value === undefined) return null;
    if (type === 'timestamp') return Date.parse(value as string);
    if (type === 'boolean' && typeof value === 'number') return value === 1;
    if (type === 'json' && typeof value === 'string') return JSON.parse(value) as unknown;
    return (type === 'integer' || type === 'number') && value !== null ? Number(value) : value;
  });
}

function firstDifference(there: readonly unknown[][], expected: readonly unknown[][]): unknown {
  if (there.length !== expected.length) return `${there.length} rows instead of ${expected.length}`;
  const index = expected.findIndex((one, at) => !isDeepStrictEqual(there[at], one));
  if (index < 0) return undefined;
  const column = expected[index]!.findIndex((one, at) => !isDeepStrictEqual(there[index]![at], one));
  return { index, column, found: there[index]![column], wanted: expected[index]![column] };
}

let folder: string;
let postgres: Postgres | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-load-'));
  if (postgresBin !== undefined) postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true });
});

let loads = 0;
/** Runs the statement, and reads the table back. */
async function load(database: Database, statement: string, table: string, columns: readonly Column[]): Promise<unknown[][]> {
  if (database === 'postgres') {
    const out = await postgres!.psql(`${statement}\nSELECT row_to_json(t) FROM "${table}" t ORDER BY n_;\nDROP TABLE "${table}";`, folder);
    return out.trimEnd().split('\n').map((line) => jsonRow(line, columns)); // prettier-ignore
  }
  if (database === 'duckdb') {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    await connection.run(`SET TimeZone = 'UTC'`);
    await connection.run(statement);
    const rows = (await connection.runAndReadAll(`SELECT * FROM "${table}" ORDER BY n_`)).getRowObjectsJson();
    connection.closeSync();
    instance.closeSync();
    return rows.map((row) => found(utc(row as Row, columns), columns));
  }
  const path = join(folder, `${(loads += 1)}.sqlite`);
  execFileSync('sqlite3', ['-bail', path], { input: statement, cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] });
  const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as { Database: new (path: string) => { all(sql: string): Row[]; close(): void } }; // prettier-ignore
  const opened = new Database(path);
  const rows = opened.all(`SELECT * FROM "${table}" ORDER BY n_`);
  opened.close();
  return rows.map((row) => found(row, columns));
}
/** JSON columns come as JSON, and may be text. */
const jsonRow = (line: string, columns: readonly Column[]): unknown[] => {
  const row = JSON.parse(line) as Row;
  for (const { path, type } of columns) if (type === 'json' && row[path] !== null) row[path] = JSON.stringify(row[path]);
  return found(row, columns);
};
/** DuckDB says `2024-01-01 00:00:00+00`. */
const utc = (row: Row, columns: readonly Column[]): Row => {
  for (const { path, type } of columns)
    if (type === 'timestamp' && typeof row[path] === 'string') row[path] = row[path].replace(' ', 'T').replace(/\+00$/, 'Z');
  return row;
};

const missing = (database: Database): boolean =>
  database === 'postgres' ? postgresBin === undefined : database === 'sqlite' && !hasSqlite;
const databases: readonly Database[] = ['postgres', 'duckdb', 'sqlite'];

/** Writes rows as JSONL and CSV, loads each, and gives what isn't equal. */
async function differences(database: Database, table: string, documented: readonly Column[], count: number): Promise<unknown[]> {
  const columns = columnsFor(documented);
  const rows = rowsOf(columns, count);
  const jsonl = join(folder, `${table}.jsonl`);
  const csv = join(folder, `${table}.csv`);
  const options = { columns, overwrite: true, ...(database === 'sqlite' ? { null: '<null>' } : {}) };
  await lastValueFrom(from(rows).pipe(toJsonl(jsonl, { overwrite: true })));
  await lastValueFrom(from(rows).pipe(toCsv(csv, options)));
  const lines = readFileSync(jsonl, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Row); // prettier-ignore
  // SQLite itself reads the last digit of numbers near the ends of the range another way
  const rounded = (all: unknown[][]): unknown[][] =>
    database !== 'sqlite' ? all : all.map((row) => row.map((cell, at) => (columns[at]!.type === 'number' && typeof cell === 'number' ? cell.toPrecision(12) : cell))); // prettier-ignore
  writeFileSync(jsonl, lines.map((row, at) => `${at % 2 === 0 ? JSON.stringify(row) : escaped(JSON.stringify(row))}\n`).join(''));
  const known = columns.map(({ path, keys, type }) => ({ header: path, keys, type }));
  const wrong: unknown[] = [];
  for (const path of [csv, jsonl]) {
    // JSON in a cell of a CSV file has escapes for what text can't hold
    const clean = columns.map(({ type }) => (one: unknown): unknown => (path === csv && type === 'json' && database !== 'duckdb' ? one : held(one, database === 'duckdb' && (path === jsonl || type === 'json')))); // prettier-ignore
    const expected = rounded(wanted(lines, columns)).map((row) => row.map((cell, at) => clean[at]!(cell)));
    const statement = loadStatement(database, { path, table, columns: known, csv: options });
    const difference = firstDifference(rounded(await load(database, statement, table, columns)), expected);
    if (difference !== undefined) wrong.push({ path, difference });
  }
  return wrong;
}

const withRows = Object.values(operations).map((operation) => [operation.name, columnsOf(operation)] as const).filter(([, columns]) => columns.length > 0); // prettier-ignore

describe.each(databases)('loadStatement, for %s', (database) => {
  const some = ofTheDay(withRows, 1, databases.indexOf(database));
  it.skipIf(missing(database)).each(some)('loads every value, null and empty text of %s as it was', async (name, columns) => {
    expect(await differences(database, name, columns, 40)).toEqual([]);
  });

  it.skipIf(missing(database))('loads columns with any character in their names', async () => {
    const keys = [
      ['a"b'],
      ['c\\d', 'e"f'],
      ['c\\d', 'plain'],
      ['plain', 'g\\\\"h'],
      ['é'],
      ['/~1'],
      ['*'],
      [''],
      ['tab\there'],
      ["it's"],
      ['\\"'],
      ['\\'],
    ];
    const columns = Object.keys(values).flatMap((type) =>
      keys.map((inner) => ({ path: [type, ...inner].join('.'), keys: [type, ...inner], type: type as Column['type'] })),
    );
    expect(await differences(database, 'characters', columns, 10)).toEqual([]);
  });

  it.skipIf(missing(database))(`loads ${many} random rows as they were`, async () => {
    const columns = Object.keys(values).map((type) => ({ path: `${type}.a`, keys: [type, 'a'], type: type as Column['type'] }));
    expect(await differences(database, 'many', columns, many)).toEqual([]);
  });
});

describe('loadStatement, for postgres, of columns that PostgreSQL names another way', () => {
  it.skipIf(postgresBin === undefined)(
    'loads a box of coordinates, and names that are equal in their first 63 bytes, as often as it is run',
    async () => {
      const long = 'x'.repeat(70);
      const row = { xmin: 1, XMAX: 2, xmin_2: 3, [`${long}1`]: 4, [`${long}2`]: 5 };
      const path = join(folder, 'box.csv');
      await lastValueFrom(from([row]).pipe(toCsv(path)));
      const columns = Object.keys(row).map((header) => ({ header, keys: [header], type: 'integer' as const }));
      const statement = loadStatement('postgres', { path, table: 'box', columns });
      const values = await postgres!.psql(`${statement}\n${statement}\nSELECT * FROM box;`, folder);
      expect(values.trim()).toBe('1|2|3|4|5');
    },
  );
});

describe("Python's csv", () => {
  it.skipIf(!hasPython)('reads every value of rows as it was', async () => {
    const wanted: { [name: string]: unknown[][] } = {};
    for (const [name, documented] of ofTheDay(withRows, 3)) {
      const columns = columnsFor(documented);
      const rows = rowsOf(columns, 40);
      await lastValueFrom(from(rows).pipe(toCsv(join(folder, `${name}.python.csv`), { columns, formulas: 'keep' })));
      const cell = ({ keys, type }: Column, row: Row): unknown => {
        const value = valueAt(row, keys) ?? null;
        return value === null
          ? ''
          : type === 'json'
            ? JSON.stringify(value)
            : held(typeof value === 'string' ? value : JSON.stringify(value), false);
      };
      wanted[name] = [columns.map(({ path }) => path), ...rows.map((row) => columns.map((column) => cell(column, row)))];
    }
    const script = `import csv,json,sys
print(json.dumps({n: list(csv.reader(open(f"{sys.argv[1]}/{n}.python.csv", encoding="utf-8", newline=""), strict=True)) for n in sys.argv[2:]}))`;
    const found = JSON.parse(execFileSync('python3', ['-c', script, folder, ...Object.keys(wanted)], { encoding: 'utf8', maxBuffer: 1e9 })) as typeof wanted; // prettier-ignore
    for (const name of Object.keys(wanted)) expect([name, firstDifference(found[name]!, wanted[name]!)]).toEqual([name, undefined]);
  });
});
