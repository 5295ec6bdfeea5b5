import type { Hash } from 'node:crypto';
import { madeAtEnd } from './assemble.ts';
import { checkOutputOptions, outputOptions } from './checkOutputOptions.ts';
import { compressionOf, requireZstd } from './compression.ts';
import type { FoundColumns } from './csvEncoder.ts';
import { endingsInWords, fileKindOf, fileFormats, type Format, type MadeFormatName } from './formats/fileFormats.ts';
import type { OutputFile } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { reservePath } from './reservePath.ts';
import { RotatingOutput } from './RotatingOutput.ts';
import { RowOutput } from './RowOutput.ts';

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
  if (options.rotate === undefined) return openFile(path, format, options);
  const found: FoundColumns = {};
  return new RotatingOutput(path, (part, own, total) => openFile(part, format, own, total, found), { ...options, format });
}

function openFile(path: string, name: Format, options: OutputOptions, total?: Hash, found?: FoundColumns): OutputFile {
  const format = fileFormats[name];
  const { compression } = compressionOf(path.toLowerCase());
  if (compression === 'zstd') requireZstd(path);
  const { encoder, destination } = format.text
    ? { encoder: format.encoder(options, found), destination: reservePath(path, { ...options, format: name }) }
    : madeAtEnd(path, name as MadeFormatName, options, total);
  return new RowOutput(path, encoder, destination, {
    compression,
    total: format.text ? total : undefined,
    before: options.resume?.remarks,
  });
}
