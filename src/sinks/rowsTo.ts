import type { Writable } from 'node:stream';
import type { OperatorFunction } from 'rxjs';
import { checkOptions } from '../../operators/check/checkOptions.ts';
import { checkOutputOptions } from './checkOutputOptions.ts';
import { fileKindOf } from './endings.ts';
import type { FileReport } from './FileReport.ts';
import { openOutput } from './openOutput.ts';
import type { OutputOptions } from './OutputOptions.ts';
import type { RowEncoder } from './RowEncoder.ts';
import { rowsToFile } from './rowsToFile.ts';
import { StreamOutput } from './StreamOutput.ts';

const fileOptions = ['overwrite', 'append', 'within', 'mode', 'rotate', 'signal', 'fileSystem'];

/** The shared start of all sinks: checks the options, and returns how to open the file or stream on subscription. */
export function rowsTo<Row>(
  name: string,
  to: string | Writable,
  options: OutputOptions,
  /** The sink's own options, besides those of every file. */
  own: readonly string[],
  encoder?: () => RowEncoder,
): OperatorFunction<Row, FileReport> {
  const isStream = typeof to === 'object' && to !== null && typeof to.write === 'function';
  const known = isStream ? ['signal', ...own] : [...fileOptions.filter((option) => option !== 'append' || encoder !== undefined), ...own];
  const { format: _, ...given } = options;
  const { signal } = options;
  const lazy = encoder !== undefined;
  checkOptions(name, given, known, isStream ? ' for a stream' : '');
  if (isStream && encoder !== undefined) {
    checkOutputOptions(name, 'a stream', options);
    return rowsToFile(() => new StreamOutput(to, encoder()), { signal, lazy });
  }
  const path = to as string;
  checkOutputOptions(name, path, options);
  const kind = fileKindOf(path);
  // text lines in a file named like a database would mislead readers, and the other way round
  if (kind !== undefined && kind.format !== options.format && !(kind.text && encoder !== undefined)) {
    const right = `to${kind.format[0]!.toUpperCase()}${kind.format.slice(1)}`;
    throw new RangeError(`${name}: ${path} is the name of a ${kind.format} file; use ${right === 'toTsv' ? 'toCsv' : right} for that`);
  }
  return rowsToFile(() => openOutput(path, options), { signal, lazy });
}
