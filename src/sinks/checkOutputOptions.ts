import { isText } from './endings.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { checkTableOptions } from './table/checkTableOptions.ts';

/** Refuses options that can't be right; `name` is the function that was called. */
export function checkOutputOptions(name: string, path: string, options: OutputOptions): void {
  const bad = (option: string, value: unknown, needs: string): never => {
    throw new RangeError(`${name}: ${option} must be ${needs}, not ${JSON.stringify(value) ?? String(value)}`);
  };
  if (typeof path !== 'string' || path === '') bad('path', path, 'the name of a file');
  const { overwrite, append, mode, rotate, resume, format, table, index } = options;
  if (overwrite && append) bad('append', append, 'false where overwrite is true');
  if (mode !== undefined && !(Number.isInteger(mode) && mode >= 0 && mode <= 0o777)) bad('mode', mode, 'permissions from 0 to 0o777');
  if (rotate !== undefined) {
    if (rotate.rows === undefined && rotate.bytes === undefined) bad('rotate', rotate, '{ rows } or { bytes }');
    for (const [limit, value] of Object.entries(rotate)) {
      if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1)) bad(`rotate.${limit}`, value, 'a whole number from 1');
    }
    if (append) bad('append', append, 'false where rotate is given');
    if (resume) bad('resume', resume, 'left out where rotate is given');
  }
  if (append && format !== undefined && !isText(format)) bad('append', append, `false for ${format}, which is made as a whole at the end`);
  if (table !== undefined && (typeof table !== 'string' || table === '')) bad('table', table, 'the name of a table');
  if (index !== undefined && !(Array.isArray(index) && index.every((one) => typeof one === 'string')))
    bad('index', index, 'a list of columns');
  checkTableOptions(name, options);
}
