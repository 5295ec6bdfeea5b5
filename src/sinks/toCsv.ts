import type { OperatorFunction } from 'rxjs';
import { checkOutputOptions } from './checkOutputOptions.ts';
import type { FileReport } from './FileReport.ts';
import { formatOf } from './formatOf.ts';
import { openOutput } from './openOutput.ts';
import type { FileOptions } from './OutputOptions.ts';
import { refuseParquet } from './refuseParquet.ts';
import { rowsToFile } from './rowsToFile.ts';
import type { TableOptions } from './TableOptions.ts';

export interface CsvOptions extends FileOptions, TableOptions {}

/**
 * Writes rows to a CSV file, and emits one report when all of it is safely on disk. A path that ends in `.gz` is
 * compressed; one that ends in `.tsv` has tabs between its cells.
 *
 * The columns are those of the operation that the first row comes from, in documented order, or `columns`; never what
 * the first row happens to hold. Objects become dotted columns, lists JSON, null and absent empty. A field that no
 * column takes is counted in the report, or goes to `_extra`. The file itself is handled as by `toJsonl`.
 *
 * ```ts
 * client.mapsSearch({ query: 'coffee' }).pipe(items(), toCsv('places.csv', { bom: true }))
 * ```
 */
export function toCsv<Row>(path: string, options: CsvOptions = {}): OperatorFunction<Row, FileReport> {
  const {
    overwrite,
    append,
    within,
    mode,
    rotate,
    fileSystem,
    columns,
    extra,
    onUnlisted,
    delimiter,
    quote,
    eol,
    null: nothing,
    bom,
    formulas,
  } = options;
  const format = formatOf(path) === 'tsv' ? 'tsv' : 'csv';
  const file = { overwrite, append, within, mode, rotate, fileSystem, format } as const;
  const output = { ...file, columns, extra, onUnlisted, delimiter, quote, eol, null: nothing, bom, formulas };
  checkOutputOptions('toCsv', path, output);
  refuseParquet('toCsv', path);
  return rowsToFile(() => openOutput(path, output));
}
