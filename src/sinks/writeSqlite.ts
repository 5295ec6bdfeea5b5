import { createRequire } from 'node:module';
import { SinkError } from '../errors/index.ts';
import type { ColumnKind } from './table/ColumnType.ts';
import { jsonText } from './table/jsonText.ts';
import type { NamedTable } from './table/readTable.ts';
import { sqlName } from './table/sqlNames.ts';
import { sqlTables } from './table/sqlTables.ts';

type Value = string | number | bigint | null;

/** The part of SQLite that is used here, with any driver. */
interface Database {
  exec(sql: string): void;
  /** Returns a function that runs the statement with values. */
  prepare(sql: string): (values: Value[]) => void;
  close(): void;
}

const load = createRequire(import.meta.url);

/** Throws when neither Node nor an optional package has SQLite. */
export function requireSqlite(path: string): void {
  if (process.getBuiltinModule?.('node:sqlite') !== undefined) return;
  try {
    load.resolve('node-sqlite3-wasm');
  } catch (cause) {
    throw new SinkError(
      `${path}: SQLite files need Node 22.13 or newer, or one more package: npm install node-sqlite3-wasm`, { cause }); // prettier-ignore
  }
}

/** A value for SQLite. It has no booleans, times or JSON: booleans become 0 and 1, the rest text. */
export const sqliteTypes: { readonly [kind in ColumnKind]: string } = {
  string: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  boolean: 'INTEGER',
  timestamp: 'TEXT',
  date: 'TEXT',
  json: 'TEXT',
};

/** Makes an SQLite file with these tables, with Node's own SQLite or the optional package. */
export async function writeSqlite(path: string, tables: readonly NamedTable[]): Promise<void> {
  const database = open(path);
  try {
    // an unfinished file is thrown away, so no undo journal is needed
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    for (const { name, columns, batches, create, createIndex } of sqlTables(tables, sqliteTypes)) {
      database.exec(create);
      const insert = database.prepare(`INSERT INTO ${sqlName(name)} VALUES (${columns.map(() => '?').join(', ')})`);
      for await (const batch of batches())
        for (const values of batch) insert(columns.map(({ kind }, column) => sqliteValue(values[column], kind)));
      if (createIndex !== undefined) database.exec(createIndex);
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function sqliteValue(value: unknown, kind: ColumnKind): Value {
  if (value === undefined || value === null) return null;
  if (kind === 'integer') return BigInt(value as number);
  if (kind === 'number') return value as number;
  if (kind === 'boolean') return value === true ? 1 : 0;
  return kind === 'json' ? jsonText(value)! : (value as string);
}

function open(path: string): Database {
  const builtin = process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined;
  if (builtin !== undefined) {
    const database = new builtin.DatabaseSync(path);
    return {
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        const statement = database.prepare(sql);
        return (values) => void statement.run(...values);
      },
      close: () => database.close(),
    };
  }
  const { Database: Wasm } = load('node-sqlite3-wasm') as WasmSqlite;
  const database = new Wasm(path);
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      return (values) => void statement.run(values);
    },
    close: () => database.close(), // closes its statements too
  };
}

interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => {
    exec(sql: string): void;
    prepare(sql: string): { run(...values: Value[]): unknown };
    close(): void;
  };
}

interface WasmSqlite {
  readonly Database: new (path: string) => {
    exec(sql: string): void;
    prepare(sql: string): { run(values: Value[]): unknown };
    close(): void;
  };
}
