import type { Hash } from 'node:crypto';
import { checkOutputOptions } from './checkOutputOptions.ts';
import { csvEncoder, type FoundColumns } from './csvEncoder.ts';
import { EncodedOutput } from './EncodedOutput.ts';
import { formatOf } from './formatOf.ts';
import { jsonlEncoder } from './jsonlEncoder.ts';
import type { OutputFile } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { ParquetOutput } from './ParquetOutput.ts';
import { RotatingOutput } from './RotatingOutput.ts';

/**
 * Opens a file to write rows to, in the format that its ending names.
 *
 * All that can be known to fail is known when this returns: it throws a SinkError for a path that is taken, a folder
 * that can't be made or written to, a second writer. What has to be read again (`resume`, `append`) is read before it
 * returns, at the disk's speed.
 */
export function openOutput(path: string, options: OutputOptions = {}): OutputFile {
  const format = options.format ?? formatOf(path);
  checkOutputOptions('openOutput', path, { ...options, format });
  if (format === undefined) {
    throw new RangeError(`openOutput: the ending of ${path} names no format; use .jsonl, .csv, .tsv, each also with .gz, or .parquet`);
  }
  const found: FoundColumns = {};
  return options.rotate === undefined
    ? openOne(path, { ...options, format })
    : new RotatingOutput(path, (part, own, total) => openOne(part, own, total, found), { ...options, format });
}

function openOne(path: string, options: OutputOptions, total?: Hash, found?: FoundColumns): OutputFile {
  switch (options.format) {
    case 'parquet':
      return new ParquetOutput(path, options, total);
    case 'csv':
      return new EncodedOutput(path, csvEncoder(options, found), options, total);
    case 'tsv':
      return new EncodedOutput(path, csvEncoder({ ...options, delimiter: options.delimiter ?? '\t' }, found), options, total);
    default:
      return new EncodedOutput(path, jsonlEncoder(), options, total);
  }
}
