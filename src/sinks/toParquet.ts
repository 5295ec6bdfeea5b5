import { tableOptions, type SinkOf } from './checkOutputOptions.ts';
import type { FileReport } from './FileReport.ts';
import type { FileOptions } from './OutputOptions.ts';
import type { TableOptions } from './TableOptions.ts';
import { rowsTo } from './rowsTo.ts';

export interface ParquetOptions extends Omit<FileOptions, 'append'>, Pick<TableOptions, 'columns' | 'extra' | 'onUnlisted'> {}

const { columns, extra, onUnlisted } = tableOptions.kinds;
/** The options of a file that is made as a whole at the end, besides those of every file. */
export const parquetKinds = { columns, extra, onUnlisted };

/**
 * Writes rows to a Parquet file with the optional package hyparquet-writer, and emits one report when the whole file is
 * safe on disk. Columns are as in `toCsv`, with types: whole numbers INT64, numbers DOUBLE, ISO dates and times, ids and
 * other text as text, lists and objects as JSON. Until the end, rows are kept as JSONL in `<path>.part`. A failing stream
 * leaves that file.
 *
 * ```ts
 * client.mapsReviews({ data_id }).pipe(items(), toParquet('reviews.parquet'))
 * ```
 */
export function toParquet<Row>(path: string, options: ParquetOptions = {}): SinkOf<Row, FileReport> {
  return rowsTo('toParquet', path, { ...options, format: 'parquet' }, parquetKinds);
}
