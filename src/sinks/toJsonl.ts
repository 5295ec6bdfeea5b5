import type { Writable } from 'node:stream';
import type { OperatorFunction } from 'rxjs';
import type { FileReport } from './FileReport.ts';
import { jsonlEncoder } from './jsonlEncoder.ts';
import type { FileOptions } from './OutputOptions.ts';
import { rowsTo } from './rowsTo.ts';

/**
 * Writes rows to a file, one JSON text a line, and emits one report when all of it is safely on disk. A path that ends
 * in `.gz` or `.zst` is compressed. Instead of a path it takes a Writable, such as `process.stdout`.
 *
 * The rows go to `<path>.part`, which gets its name at the end, in one step: a stream that fails or is unsubscribed
 * leaves nothing at `path`, and the SinkError says what it left beside it. What can be known to fail is known before
 * the source is subscribed. While 1,000 rows or 1 MiB wait for the disk, the requests above are held.
 *
 * ```ts
 * client.mapsReviews({ data_id }).pipe(items(), toJsonl('reviews.jsonl'))
 * ```
 */
export function toJsonl<Row>(to: string | Writable, options: FileOptions = {}): OperatorFunction<Row, FileReport> {
  return rowsTo('toJsonl', to, { ...options, format: 'jsonl' }, [], jsonlEncoder);
}
