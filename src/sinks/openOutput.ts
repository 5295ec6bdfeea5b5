import type { OutputFile } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';

/**
 * Opens a file to write rows to, in the format that its ending names.
 *
 * All that can be known to fail is known when this returns: it throws a SinkError for a path that is taken, a folder
 * that can't be made or written to, a second writer. What has to be read again (`resume`, `append`) is read in the
 * background, before the first byte is written; `commit` waits for it.
 */
export function openOutput(path: string, options: OutputOptions = {}): OutputFile {
  throw new Error(`not yet ${path} ${Object.keys(options).length}`);
}
