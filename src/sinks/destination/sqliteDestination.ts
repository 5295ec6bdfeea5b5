import { loadPackage, requirePackages } from '../requirePackages.ts';
import type { ColumnKind } from '../table/TableColumn.ts';
import { jsonText } from '../jsonlEncoder.ts';
import { valueReader, type TextRepair } from '../table/TextRepair.ts';
import { sqlName, tableSql } from '../load/sqlText.ts';
import type { RowDestination } from './RowDestination.ts';

type Value = string | number | bigint | null;

/** The part of SQLite that is used here, with either driver. */
interface Driver {
  new (path: string): {
    exec(sql: string): unknown;
    prepare(sql: string): { run(...values: readonly (Value | readonly Value[])[]): unknown };
    close(): unknown;
  };
}

const builtIn = (): Driver | undefined =>
  (process.getBuiltinModule?.('node:sqlite') as { readonly DatabaseSync: Driver } | undefined)?.DatabaseSync;

/** Throws when neither Node nor an optional package has SQLite. */
export function requireSqlite(path: string): void {
  if (builtIn() === undefined)
    requirePackages(['node-sqlite3-wasm'], `${path}: SQLite files need Node 22.13 or newer, or one more package`);
}

/** SQLite has no booleans, times or JSON. Booleans become 0 and 1, the others text. */
export const sqliteTypes: { readonly [kind in ColumnKind]: string } = {
  string: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  boolean: 'INTEGER',
  timestamp: 'TEXT',
  date: 'TEXT',
  json: 'TEXT',
};

/**
 * Tables of a new SQLite file, with an index on their key. The types of the columns hold every row. Written by Node's own SQLite, or
 * by the optional package.
 */
export function sqliteDestination(path: string, repair: TextRepair): RowDestination {
  return {
    async open(table) {
      const { create, createIndex } = tableSql(table, sqliteTypes);
      const read = valueReader(table.columns, repair);
      const own = builtIn();
      const database = new (own ?? (loadPackage('node-sqlite3-wasm') as { readonly Database: Driver }).Database)(path);
      let insert: (values: readonly Value[]) => unknown;
      return {
        async recover() {
          // an unfinished file is thrown away, so no undo journal is needed
          database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${create}`);
          const statement = database.prepare(`INSERT INTO ${sqlName(table.name)} VALUES (${table.columns.map(() => '?').join(', ')})`);
          insert = (values) => (own === undefined ? statement.run(values) : statement.run(...values));
          return undefined;
        },
        async load(lines) {
          database.exec('BEGIN');
          for (const line of lines) insert(read(line).map((value, column) => sqliteValue(value, table.columns[column]!.type)));
          return { rejected: [] };
        },
        commit: async () => void database.exec('COMMIT'),
        async finish() {
          if (createIndex !== undefined) database.exec(createIndex);
        },
        close: async () => void database.close(),
      };
    },
  };
}

function sqliteValue(value: unknown, kind: ColumnKind): Value {
  if (value === undefined || value === null) return null;
  if (kind === 'integer') return BigInt(value as number);
  if (kind === 'number') return value as number;
  if (kind === 'boolean') return value === true ? 1 : 0;
  return kind === 'json' ? jsonText(value)! : (value as string);
}
