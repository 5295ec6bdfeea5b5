import type { OperatorFunction } from 'rxjs';
import { checkOutputOptions } from './checkOutputOptions.ts';
import type { FileReport } from './FileReport.ts';
import { openOutput } from './openOutput.ts';
import type { FileOptions } from './OutputOptions.ts';
import { rowsToFile } from './rowsToFile.ts';
import type { TableOptions } from './TableOptions.ts';

export interface ParquetOptions extends Omit<FileOptions, 'append'>, Pick<TableOptions, 'columns' | 'extra' | 'onUnlisted'> {}

/**
 * Writes rows to a Parquet file through the optional package hyparquet-writer, and emits one report when all of it is
 * safely on disk. Columns as in `toCsv`, typed by the operation: whole numbers, numbers, booleans, text, and JSON text
 * for lists. Until the end the rows are kept as JSONL in `<path>.part`, which is also what a failing stream leaves.
 *
 * ```ts
 * client.mapsReviews({ data_id }).pipe(items(), toParquet('reviews.parquet'))
 * ```
 */
export function toParquet<Row>(path: string, options: ParquetOptions = {}): OperatorFunction<Row, FileReport> {
  const { overwrite, within, mode, rotate, fileSystem, columns, extra, onUnlisted } = options;
  const output = { overwrite, within, mode, rotate, fileSystem, columns, extra, onUnlisted, format: 'parquet' } as const;
  checkOutputOptions('toParquet', path, output);
  return rowsToFile(() => openOutput(path, output));
}
