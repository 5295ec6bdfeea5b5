import type { OperatorFunction } from 'rxjs';
import type { FileReport } from './FileReport.ts';
import type { FileOptions } from './OutputOptions.ts';
import { rowsTo } from './rowsTo.ts';
import type { TableOptions } from './TableOptions.ts';

export interface ParquetOptions extends Omit<FileOptions, 'append'>, Pick<TableOptions, 'columns' | 'extra' | 'onUnlisted'> {}

/**
 * Writes rows to a Parquet file through the optional package hyparquet-writer, and emits one report when all of it is
 * safely on disk. Columns as in `toCsv`, typed: whole numbers INT64, numbers DOUBLE, ISO dates and times as such, ids and
 * other text as text, lists and objects as JSON. Until the end the rows are kept as JSONL in `<path>.part`, which is also
 * what a failing stream leaves.
 *
 * ```ts
 * client.mapsReviews({ data_id }).pipe(items(), toParquet('reviews.parquet'))
 * ```
 */
export function toParquet<Row>(path: string, options: ParquetOptions = {}): OperatorFunction<Row, FileReport> {
  return rowsTo('toParquet', path, { ...options, format: 'parquet' }, ['columns', 'extra', 'onUnlisted']);
}
