import type { Writable } from 'node:stream';
import { tableOptions, type SinkOf } from './checkOutputOptions.ts';
import { csvEncoder } from './csvEncoder.ts';
import { fileKindOf } from './formats/fileFormats.ts';
import type { FileReport } from './OutputFile.ts';
import type { FileOptions } from './OutputOptions.ts';
import type { TableOptions } from './TableOptions.ts';
import { rowsTo } from './rowsTo.ts';

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
