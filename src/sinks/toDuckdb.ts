import { databaseOptions, type SinkOf } from './checkOutputOptions.ts';
import type { FileReport } from './FileReport.ts';
import type { DatabaseOptions } from './OutputOptions.ts';
import { rowsTo } from './rowsTo.ts';
import { parquetKinds, type ParquetOptions } from './toParquet.ts';

export interface DuckdbOptions extends ParquetOptions, DatabaseOptions {}

/**
 * Writes rows to a table of a new DuckDB file with the optional package @duckdb/node-api, with an index on the id, and
 * emits one report when the whole file is safe on disk. Columns, types and the `.part` file are as in `toParquet`.
 *
 * ```ts
 * client.mapsReviews({ data_id }).pipe(items(), toDuckdb('reviews.duckdb'))
 * ```
 */
export function toDuckdb<Row>(path: string, options: DuckdbOptions = {}): SinkOf<Row, FileReport> {
  return rowsTo('toDuckdb', path, { ...options, format: 'duckdb' }, { ...parquetKinds, ...databaseOptions.kinds });
}
