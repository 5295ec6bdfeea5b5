import type { DuckDBAppender } from '@duckdb/node-api';
import { requirePackages } from '../requirePackages.ts';
import { daysOf } from '../../../operators/kit/days.ts';
import { microsOf, type ColumnKind } from '../table/TableColumn.ts';
import { jsonText } from '../jsonlEncoder.ts';
import { valueReader, type TextRepair } from '../table/TextRepair.ts';
import { tableSql } from '../load/sqlText.ts';
import type { RowDestination } from './RowDestination.ts';

/** Throws if the optional package that writes DuckDB files isn't installed. */
export function requireDuckdb(path: string): void {
  requirePackages(['@duckdb/node-api'], `${path}: DuckDB files need one more package`);
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

/** Tables of a new DuckDB file, with an index on their key. The types of the columns hold every row. */
export function duckdbDestination(path: string, repair: TextRepair): RowDestination {
  return {
    async open(table) {
      const { DuckDBDateValue, DuckDBInstance, DuckDBTimestampTZValue } = await import('@duckdb/node-api');
      const { create, createIndex } = tableSql(table, duckdbTypes);
      const read = valueReader(table.columns, repair);
      const database = await DuckDBInstance.create(path, { threads: '1' });
      const connection = await database.connect();
      let appender: DuckDBAppender;
      return {
        async recover() {
          await connection.run(create);
          appender = await connection.createAppender(table.name);
          return undefined;
        },
        async load(lines) {
          for (const line of lines) {
            const values = read(line);
            for (const [column, { type }] of table.columns.entries()) {
              const value = values[column];
              if (value === undefined || value === null) appender.appendNull();
              else if (type === 'integer') appender.appendBigInt(BigInt(value as number));
              else if (type === 'number') appender.appendDouble(value as number);
              else if (type === 'boolean') appender.appendBoolean(value as boolean);
              else if (type === 'timestamp') appender.appendTimestampTZ(new DuckDBTimestampTZValue(microsOf(value as string)!));
              else if (type === 'date') appender.appendDate(new DuckDBDateValue(daysOf(value as string)!));
              else appender.appendVarchar(type === 'json' ? jsonText(value)! : (value as string));
            }
            appender.endRow();
          }
          return { rejected: [] };
        },
        commit: async () => appender.flushSync(),
        async finish() {
          appender.closeSync();
          if (createIndex !== undefined) await connection.run(createIndex);
          await connection.run('CHECKPOINT');
        },
        async close() {
          connection.closeSync();
          database.closeSync();
        },
      };
    },
  };
}
