import { databaseOptions, type SinkOf } from './checkOutputOptions.ts';
import type { FileReport } from './FileReport.ts';
import type { DatabaseOptions } from './OutputOptions.ts';
import { rowsTo } from './rowsTo.ts';
import { parquetKinds, type ParquetOptions } from './toParquet.ts';

export interface SqliteOptions extends ParquetOptions, DatabaseOptions {}

const maxColumns = 2000; // as SQLite is built, unless somebody builds it otherwise

/**
 * Writes rows to a table of a new SQLite file with an index on the id, and emits one report when the whole file is safe on
 * disk. It uses Node's SQLite (from 22.13 on), else the optional package node-sqlite3-wasm. Columns and the `.part` file
 * are as in `toParquet`. Booleans are 0 and 1. Dates, times, lists and objects are text.
 *
 * ```ts
 * client.mapsReviews({ data_id }).pipe(items(), toSqlite('reviews.sqlite'))
 * ```
 */
export function toSqlite<Row>(path: string, options: SqliteOptions = {}): SinkOf<Row, FileReport> {
  const columns = (options.columns?.length ?? 0) + (options.extra === true ? 1 : 0);
  if (columns > maxColumns)
    throw new RangeError(`toSqlite: columns must be at most ${maxColumns}, not ${columns}: SQLite has no more. Parquet and DuckDB have`);
  return rowsTo('toSqlite', path, { ...options, format: 'sqlite' }, { ...parquetKinds, ...databaseOptions.kinds });
}
