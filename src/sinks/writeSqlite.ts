import { createRequire } from 'node:module';
import { SinkError } from '../errors/index.ts';
import type { ColumnKind } from './table/ColumnType.ts';
import { csvCell } from './table/csvCell.ts';
import { jsonText } from './table/jsonText.ts';
import type { NamedTable } from './table/readTable.ts';
import { sqlName, uniqueNames } from './table/sqlNames.ts';

type Value = string | number | bigint | null;

/** What is used of SQLite, by whichever driver. */
interface Database {
  exec(sql: string): void;
  /** Gives the function that runs the statement with values. */
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

/** As a column has it: SQLite knows no booleans, times and JSON, which are 0 and 1, and text. */
export const sqliteTypes: { readonly [kind in ColumnKind]: string } = {
  string: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  boolean: 'INTEGER',
  timestamp: 'TEXT',
  date: 'TEXT',
  json: 'TEXT',
};

/** Makes an SQLite file with these tables, by Node's own SQLite or by the package's. */
export async function writeSqlite(path: string, tables: readonly NamedTable[]): Promise<void> {
  const database = open(path);
  try {
    // a file that isn't finished is thrown away, so nothing is kept to undo
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    for (const [at, name] of uniqueNames(tables.map((table) => table.name)).entries()) {
      const { columns, index, batches } = tables[at]!;
      const names = uniqueNames(columns.map(({ header }) => header));
      database.exec(
        `CREATE TABLE ${sqlName(name)} (${columns.map(({ kind }, place) => `${sqlName(names[place]!)} ${sqliteTypes[kind]}`).join(', ')})`,
      );
      const insert = database.prepare(`INSERT INTO ${sqlName(name)} VALUES (${columns.map(() => '?').join(', ')})`);
      for await (const batch of batches())
        for (const values of batch) insert(columns.map(({ kind }, place) => sqliteValue(values[place], kind)));
      const by = index.map((header) => names[columns.findIndex((column) => column.header === header)]).filter((one) => one !== undefined);
      if (by.length > 0)
        database.exec(`CREATE INDEX ${sqlName(`${name}_${by.join('_')}`)} ON ${sqlName(name)} (${by.map(sqlName).join(', ')})`);
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
  return kind === 'json' ? jsonText(value)! : csvCell(value).replaceAll('\0', '\uFFFD');
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
    close: () => database.close(), // its statements with it
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
