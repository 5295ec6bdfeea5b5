import { createRequire } from 'node:module';
import { SinkError } from '../errors/index.ts';
import { daysOf, microsOf, type ColumnKind } from './table/ColumnType.ts';
import { jsonText } from './table/jsonText.ts';
import type { NamedTable } from './table/readTable.ts';
import { sqlTables } from './table/sqlTables.ts';

/** Throws if the optional package that writes DuckDB files isn't installed. */
export function requireDuckdb(path: string): void {
  try {
    createRequire(import.meta.url).resolve('@duckdb/node-api');
  } catch (cause) {
    throw new SinkError(`${path}: DuckDB files need one more package: npm install @duckdb/node-api`, { cause });
  }
}

export const duckdbTypes: { readonly [kind in ColumnKind]: string } = {
  string: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMPTZ',
  date: 'DATE',
  json: 'JSON',
};

/** Makes a DuckDB file with these tables. */
export async function writeDuckdb(path: string, tables: readonly NamedTable[]): Promise<void> {
  const { DuckDBDateValue, DuckDBInstance, DuckDBTimestampTZValue } = await import('@duckdb/node-api');
  const database = await DuckDBInstance.create(path, { threads: '1' });
  const connection = await database.connect();
  try {
    for (const { name, columns, batches, create, createIndex } of sqlTables(tables, duckdbTypes)) {
      await connection.run(create);
      const appender = await connection.createAppender(name);
      for await (const batch of batches()) {
        for (const values of batch) {
          for (const [column, { kind }] of columns.entries()) {
            const value = values[column];
            if (value === undefined || value === null) appender.appendNull();
            else if (kind === 'integer') appender.appendBigInt(BigInt(value as number));
            else if (kind === 'number') appender.appendDouble(value as number);
            else if (kind === 'boolean') appender.appendBoolean(value as boolean);
            else if (kind === 'timestamp') appender.appendTimestampTZ(new DuckDBTimestampTZValue(microsOf(value as string)!));
            else if (kind === 'date') appender.appendDate(new DuckDBDateValue(daysOf(value as string)!));
            else appender.appendVarchar(kind === 'json' ? jsonText(value)! : (value as string));
          }
          appender.endRow();
        }
        appender.flushSync();
      }
      appender.closeSync();
      if (createIndex !== undefined) await connection.run(createIndex);
    }
    await connection.run('CHECKPOINT');
  } finally {
    connection.closeSync();
    database.closeSync();
  }
}
