import type { Writable } from 'node:stream';
import type { FileReport } from './OutputFile.ts';
import { jsonlEncoder } from './jsonlEncoder.ts';
import type { FileOptions } from './OutputOptions.ts';
import type { SinkOf } from './checkOutputOptions.ts';
import { rowsTo } from './rowsTo.ts';

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
