import type { FileReport } from './FileReport.ts';
import { endingsInWords, fileKindOf } from './formats/fileFormats.ts';
import { optionsOfFormat, outputOptions, type SinkOf } from './checkOutputOptions.ts';
import type { DatabaseOptions, FileOptions } from './OutputOptions.ts';
import { rowsTo } from './rowsTo.ts';
import type { TableOptions } from './TableOptions.ts';

export interface ToFileOptions extends Omit<FileOptions, 'append'>, TableOptions, DatabaseOptions {}

/**
 * Writes rows to a file. The ending picks the format: as `toJsonl`, `toCsv`, `toParquet`, `toDuckdb` or `toSqlite` does, with
 * their options. An option that says nothing about that format is an error.
 *
 * ```ts
 * rows$.pipe(toFile(process.argv[2] ?? 'rows.csv'))
 * ```
 */
export function toFile<Row>(path: string, options: ToFileOptions = {}): SinkOf<Row, FileReport> {
  const kind = fileKindOf(path);
  if (kind === undefined) throw new RangeError(`toFile: the ending of ${path} names no format; use ${endingsInWords()}`);
  const { kinds } = outputOptions;
  const own = optionsOfFormat(kind.format).map((option) => [option, kinds[option as keyof typeof kinds]] as const);
  const encoder = kind.text ? () => kind.encoder(options) : undefined;
  return rowsTo('toFile', path, { ...options, format: kind.format }, Object.fromEntries(own), encoder);
}
