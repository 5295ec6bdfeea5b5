import type { OperatorFunction } from 'rxjs';
import type { FileReport } from './FileReport.ts';
import { endingsInWords, fileKindOf } from './formats/fileFormats.ts';
import type { FileOptions } from './OutputOptions.ts';
import { rowsTo } from './rowsTo.ts';

/**
 * Writes rows to a file. The ending picks the format: as `toJsonl`, `toCsv`, `toParquet`, `toDuckdb` or `toSqlite` does.
 *
 * ```ts
 * rows$.pipe(toFile(process.argv[2] ?? 'rows.csv'))
 * ```
 */
export function toFile<Row>(path: string, options: Omit<FileOptions, 'append'> = {}): OperatorFunction<Row, FileReport> {
  const kind = fileKindOf(path);
  if (kind === undefined) throw new RangeError(`toFile: the ending of ${path} names no format; use ${endingsInWords()}`);
  return rowsTo('toFile', path, { ...options, format: kind.format }, {}, kind.text ? () => kind.encoder({}) : undefined);
}
