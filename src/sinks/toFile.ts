import type { OperatorFunction } from 'rxjs';
import { endingsInWords, fileKindOf, type Format } from './endings.ts';
import type { FileReport } from './FileReport.ts';
import type { FileOptions } from './OutputOptions.ts';
import { toCsv } from './toCsv.ts';
import { toDuckdb } from './toDuckdb.ts';
import { toJsonl } from './toJsonl.ts';
import { toParquet } from './toParquet.ts';
import { toSqlite } from './toSqlite.ts';

const sinks: {
  readonly [format in Format]: <Row>(path: string, options: Omit<FileOptions, 'append'>) => OperatorFunction<Row, FileReport>;
} = {
  jsonl: toJsonl,
  csv: toCsv,
  tsv: toCsv,
  parquet: toParquet,
  duckdb: toDuckdb,
  sqlite: toSqlite,
};

/**
 * Writes rows to a file. The ending picks the format: `toJsonl`, `toCsv`, `toParquet`, `toDuckdb` or `toSqlite`.
 *
 * ```ts
 * rows$.pipe(toFile(process.argv[2]))
 * ```
 */
export function toFile<Row>(path: string, options: Omit<FileOptions, 'append'> = {}): OperatorFunction<Row, FileReport> {
  const kind = fileKindOf(path);
  if (kind === undefined) throw new RangeError(`toFile: the ending of ${path} names no format; use ${endingsInWords()}`);
  return sinks[kind.format](path, options);
}
