import type { Hash } from 'node:crypto';
import { AssembledOutput } from './AssembledOutput.ts';
import { checkOutputOptions, outputOptions } from './checkOutputOptions.ts';
import type { FoundColumns } from './csvEncoder.ts';
import { EncodedOutput } from './EncodedOutput.ts';
import { endingsInWords, fileKindOf, fileFormats, type Format, type MadeFormatName } from './formats/fileFormats.ts';
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
  if (options.rotate === undefined) return openFile(path, format, options);
  const found: FoundColumns = {};
  return new RotatingOutput(path, (part, own, total) => openFile(part, format, own, total, found), { ...options, format });
}

function openFile(path: string, name: Format, options: OutputOptions, total?: Hash, found?: FoundColumns): OutputFile {
  const format = fileFormats[name];
  if (format.text) return new EncodedOutput(path, format.encoder(options, found), { ...options, format: name }, total);
  return new AssembledOutput(path, name as MadeFormatName, options, total);
}
