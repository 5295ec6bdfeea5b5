import type { FileReport } from './OutputFile.ts';
import { endingsInWords, fileKindOf } from './formats/fileFormats.ts';
import { optionsOfFormat, outputOptions, type SinkOf, tableOptions, databaseOptions } from './checkOutputOptions.ts';
import type { DatabaseOptions, FileOptions } from './OutputOptions.ts';
import { rowsTo } from './rowsTo.ts';
import type { TableOptions } from './TableOptions.ts';
import type { Writable } from 'node:stream';
import { jsonlEncoder } from './jsonlEncoder.ts';
import { csvEncoder } from './csvEncoder.ts';

/**
 * Writes rows to a file, one JSON text per line, and emits one report when the whole file is safe on disk. A path ending
 * in `.gz` or `.zst` is compressed. Pass a Writable instead of a path to write to a stream such as `process.stdout`.
 *
 * Rows go to `<path>.part`, which gets its final name at the end, in one step. A stream that fails or is unsubscribed
 * leaves nothing at `path`, and the SinkError says what it left beside it. Everything possible is checked before
 * the source is subscribed. While 1,000 rows or 1 MiB wait for the disk, requests upstream are held.
 *
 * ```ts
 * client.mapsReviews({ data_id }).pipe(items(), toJsonl('reviews.jsonl'))
 * ```
 */
export function toJsonl<Row>(to: string | Writable, options: FileOptions = {}): SinkOf<Row, FileReport> {
  return rowsTo('toJsonl', to, { ...options, format: 'jsonl' }, {}, jsonlEncoder);
}

export interface CsvOptions extends FileOptions, TableOptions {}

/**
 * Writes rows to a CSV file, and emits one report when the whole file is safe on disk. A path ending in `.gz` or `.zst` is
 * compressed. A path ending in `.tsv` has tabs between cells. Pass a Writable instead of a path to write to a stream.
 *
 * The columns are `columns`, or else those of the first row's operation, in documented order. If neither is known, the
 * first 1,000 rows wait while the columns are found in them. Objects become dotted columns, lists become JSON. null and
 * absent are empty cells, empty text is `""`. Fields without a column are counted in the report, or go to `_extra`. The
 * file itself is handled as in `toJsonl`.
 *
 * ```ts
 * client.mapsSearch({ query: 'coffee' }).pipe(items(), toCsv('places.csv', { bom: true }))
 * ```
 */
export function toCsv<Row>(to: string | Writable, options: CsvOptions = {}): SinkOf<Row, FileReport> {
  const format = typeof to === 'string' && fileKindOf(to)?.format === 'tsv' ? 'tsv' : 'csv';
  return rowsTo('toCsv', to, { ...options, format }, tableOptions.kinds, () => csvEncoder(options));
}

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

export interface ParquetOptions extends Omit<FileOptions, 'append'>, Pick<TableOptions, 'columns' | 'extra' | 'onUnlisted'> {}

const { columns, extra, onUnlisted } = tableOptions.kinds;
/** The options of an assembled format, besides those of every file. */
const parquetKinds = { columns, extra, onUnlisted };

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

export interface SqliteOptions extends ParquetOptions, DatabaseOptions {}

const maxColumns = 2000; // the limit of SQLite, unless it was built with another

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
