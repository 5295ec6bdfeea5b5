import { assembled } from './assemble.ts';
import { checkOutputOptions, outputOptions } from './checkOutputOptions.ts';
import { compressionOf, requireZstd } from './compression.ts';
import { endingsInWords, fileKindOf, fileFormats, type AssembledFormatName } from './formats/fileFormats.ts';
import type { OutputFile } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { reservePath } from './reservePath.ts';
import { RowOutput } from './RowOutput.ts';

/**
 * Opens a file for writing rows. The ending names the format.
 *
 * Checks everything that can be checked before the first row. It throws a SinkError for a path that is taken, a folder that can't be
 * made or written to, a second writer, or a package that isn't installed. With `resume` or `append`, it reads the existing rows before
 * it returns, which takes time for a large file.
 */
export function openOutput(path: string, options: OutputOptions = {}): OutputFile {
  outputOptions.check('openOutput', options);
  const format = options.format ?? fileKindOf(path)?.format;
  checkOutputOptions('openOutput', path, { ...options, format });
  if (format === undefined) throw new RangeError(`openOutput: the ending of ${path} names no format; use ${endingsInWords()}`);
  const kind = fileFormats[format];
  const { compression } = compressionOf(path.toLowerCase());
  if (compression === 'zstd') requireZstd(path);
  const { encoder, target } = kind.text
    ? { encoder: kind.encoder(options), target: reservePath(path, { ...options, format }) }
    : assembled(path, format as AssembledFormatName, options);
  return new RowOutput(path, encoder, target, { compression, before: options.resume?.remarks });
}
