import type { OperatorFunction } from 'rxjs';
import { checkOutputOptions } from './checkOutputOptions.ts';
import type { FileReport } from './FileReport.ts';
import { openOutput } from './openOutput.ts';
import type { FileOptions } from './OutputOptions.ts';
import { refuseParquet } from './refuseParquet.ts';
import { rowsToFile } from './rowsToFile.ts';

/**
 * Writes rows to a file, one JSON text a line, and emits one report when all of it is safely on disk. A path that ends
 * in `.gz` is compressed.
 *
 * The rows go to `<path>.part`, which gets its name at the end, in one step: a stream that fails or is unsubscribed
 * leaves nothing at `path`, and the SinkError says what it left beside it. What can be known to fail is known before
 * the source is subscribed. While 1,000 rows or 1 MiB wait for the disk, the requests above are held.
 *
 * ```ts
 * client.mapsReviews({ data_id }).pipe(items(), toJsonl('reviews.jsonl'))
 * ```
 */
export function toJsonl<Row>(path: string, options: FileOptions = {}): OperatorFunction<Row, FileReport> {
  const { overwrite, append, within, mode, rotate, fileSystem } = options;
  const output = { overwrite, append, within, mode, rotate, fileSystem, format: 'jsonl' } as const;
  checkOutputOptions('toJsonl', path, output);
  refuseParquet('toJsonl', path);
  return rowsToFile(() => openOutput(path, output));
}
