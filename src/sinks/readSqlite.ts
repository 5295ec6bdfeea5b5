import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPackage } from './requirePackages.ts';
import { sqlString, sqlName } from './load/sqlText.ts';

/** The rows of one table. */
interface SqliteTable {
  readonly length: number;
  /** A row by its number, from 0. undefined: there is none. */
  at(n: number): object | undefined;
  each(): Iterable<object>;
  close(): void;
}

interface Statement<Values = number> {
  get(values: Values): object | null | undefined;
  iterate(): Iterable<object>;
}

interface Reader<Prepared = Statement> {
  prepare(sql: string): Prepared;
  close(): void;
}

type Driver<Prepared> = new (path: string, options: object) => Reader<Prepared>;

/** Reads a table that `sqliteDestination` has made. Nothing is written beside the file. */
export function readSqlite(path: string, table: string): SqliteTable {
  const database = open(path);
  try {
    const name = sqlString(table);
    // Views and computed columns are refused: reading them may never end.
    const plain =
      `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ${name} AND sql NOT LIKE 'CREATE VIRTUAL%' AND NOT ` +
      `EXISTS (SELECT 1 FROM pragma_table_xinfo(${name}) WHERE hidden <> 0)`;
    if (database.prepare(plain).iterate()[Symbol.iterator]().next().done === true)
      throw new RangeError(`There is no table ${table} in the file.`);
    const from = `FROM ${sqlName(table)}`;
    const [counted] = database.prepare(`SELECT count(*) AS length ${from}`).iterate() as Iterable<{ length: number | bigint }>;
    const one = database.prepare(`SELECT * ${from} WHERE rowid = ?`);
    return {
      length: Number(counted!.length),
      at(n) {
        const row = one.get(n + 1);
        return row === undefined || row === null ? undefined : readable(row);
      },
      *each() {
        for (const row of database.prepare(`SELECT * ${from} ORDER BY rowid`).iterate()) yield readable(row);
      },
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite gives whole numbers as bigints. Those that JavaScript can't hold become text. */
function readable(row: object): object {
  const cells = Object.entries(row).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'bigint') return [name, value];
    const number = Number(value);
    return [name, Number.isSafeInteger(number) ? number : String(value)];
  });
  return Object.fromEntries(cells) as object;
}

function open(path: string): Reader {
  const builtin = process.getBuiltinModule?.('node:sqlite') as
    | { readonly DatabaseSync: Driver<Statement & { setReadBigInts(is: boolean): void }> }
    | undefined;
  if (builtin !== undefined) {
    const database = new builtin.DatabaseSync(path, { readOnly: true });
    return {
      prepare(sql) {
        const statement = database.prepare(sql);
        statement.setReadBigInts(true);
        return statement;
      },
      close: () => database.close(),
    };
  }
  const { Database } = loadPackage('node-sqlite3-wasm') as { readonly Database: Driver<Statement<readonly number[]>> };
  // This package makes a folder beside the file to lock it, so it gets a copy in a temporary folder.
  const folder = mkdtempSync(join(tmpdir(), 'trawler-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(path, copy);
    const database = new Database(copy, { readOnly: true, fileMustExist: true });
    return {
      prepare(sql) {
        const statement = database.prepare(sql);
        return { get: (n) => statement.get([n]), iterate: () => statement.iterate() };
      },
      close() {
        database.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
