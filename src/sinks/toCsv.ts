import type { Writable } from 'node:stream';
import type { OperatorFunction } from 'rxjs';
import { csvEncoder } from './csvEncoder.ts';
import { fileKindOf } from './endings.ts';
import type { FileReport } from './FileReport.ts';
import type { FileOptions } from './OutputOptions.ts';
import { rowsTo } from './rowsTo.ts';
import type { TableOptions } from './TableOptions.ts';

export interface CsvOptions extends FileOptions, TableOptions {}

/**
 * Writes rows to a CSV file, and emits one report when all of it is safely on disk. A path that ends in `.gz` or `.zst` is
 * compressed; one that ends in `.tsv` has tabs between its cells. Instead of a path it takes a Writable.
 *
 * The columns are those of the operation that the first row comes from, in documented order, or `columns`. Where nobody
 * told them, the first 1,000 rows wait until they are known. Objects become dotted columns, lists JSON, null and absent
 * empty, empty text `""`. A field that no column takes is counted in the report, or goes to `_extra`. The file itself is
 * handled as by `toJsonl`.
 *
 * ```ts
 * client.mapsSearch({ query: 'coffee' }).pipe(items(), toCsv('places.csv', { bom: true }))
 * ```
 */
export function toCsv<Row>(to: string | Writable, options: CsvOptions = {}): OperatorFunction<Row, FileReport> {
  const format = typeof to === 'string' && fileKindOf(to)?.format === 'tsv' ? 'tsv' : 'csv';
  const known = ['columns', 'extra', 'onUnlisted', 'delimiter', 'quote', 'eol', 'null', 'bom', 'formulas'];
  return rowsTo('toCsv', to, { ...options, format }, known, () => csvEncoder(options));
}
