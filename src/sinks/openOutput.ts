import type { Hash } from 'node:crypto';
import { AssembledOutput } from './AssembledOutput.ts';
import { checkOutputOptions, outputOptions } from './checkOutputOptions.ts';
import { csvEncoder, type FoundColumns } from './csvEncoder.ts';
import { EncodedOutput } from './EncodedOutput.ts';
import { endingsInWords, fileKindOf, type Format } from './endings.ts';
import { jsonlEncoder } from './jsonlEncoder.ts';
import type { OutputFile } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { RotatingOutput } from './RotatingOutput.ts';

/**
 * Opens a file for writing rows. The ending names the format.
 *
 * Checks everything that can be checked before the first row. It throws a SinkError for a path that is taken, a folder
 * that can't be made or written to, a second writer, or a package that isn't installed. `resume` and `append` read the
 * existing rows before this returns, at the disk's speed.
 */
export function openOutput(path: string, options: OutputOptions = {}): OutputFile {
  outputOptions.check('openOutput', options);
  const format = options.format ?? fileKindOf(path)?.format;
  checkOutputOptions('openOutput', path, { ...options, format });
  if (format === undefined) throw new RangeError(`openOutput: the ending of ${path} names no format; use ${endingsInWords()}`);
  const open = openers[format];
  if (options.rotate === undefined) return open(path, { ...options, format });
  const found: FoundColumns = {};
  return new RotatingOutput(path, (part, own, total) => open(part, own, total, found), { ...options, format });
}

type Open = (path: string, options: OutputOptions, total?: Hash, found?: FoundColumns) => OutputFile;

const openers: { readonly [format in Format]: Open } = {
  jsonl: (path, options, total) => new EncodedOutput(path, jsonlEncoder(), options, total),
  csv: (path, options, total, found) => new EncodedOutput(path, csvEncoder(options, found), options, total),
  tsv: (path, options, total, found) =>
    new EncodedOutput(path, csvEncoder({ ...options, delimiter: options.delimiter ?? '\t' }, found), options, total),
  parquet: (path, options, total) => new AssembledOutput(path, 'parquet', options, total),
  duckdb: (path, options, total) => new AssembledOutput(path, 'duckdb', options, total),
  sqlite: (path, options, total) => new AssembledOutput(path, 'sqlite', options, total),
};
