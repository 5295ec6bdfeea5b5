import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetReadObjects } from 'hyparquet';

interface Sqlite {
  readonly Database: new (path: string, options: { readonly readOnly: boolean }) => { all(sql: string): object[]; close(): void };
}

/** The rows of a Parquet, DuckDB or SQLite file, each as JSON, in an order of their own; read by readers of those formats. */
export async function tableRows(name: string, bytes: Buffer, table: string): Promise<string[]> {
  if (name.endsWith('.parquet')) return texts(await parquetReadObjects({ file: new Uint8Array(bytes).buffer }));
  const folder = mkdtempSync(join(tmpdir(), 'trawler-table-'));
  const path = join(folder, 'file');
  try {
    writeFileSync(path, bytes);
    if (name.endsWith('.duckdb')) {
      const database = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
      const connection = await database.connect();
      const rows = (await connection.runAndReadAll(`SELECT * FROM "${table}"`)).getRowObjectsJson();
      connection.closeSync();
      database.closeSync();
      return texts(rows);
    }
    const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as Sqlite;
    const database = new Database(path, { readOnly: true });
    const rows = database.all(`SELECT * FROM "${table}"`);
    database.close();
    return texts(rows);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function texts(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).sort();
}
