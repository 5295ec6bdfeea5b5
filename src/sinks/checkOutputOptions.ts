import { isText } from './endings.ts';
import type { OutputOptions, TableOptions } from './OutputOptions.ts';

/** Throws for invalid options. `name` is the function that was called. */
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

/** Throws for invalid table options. `name` is the function that was called. */
function checkTableOptions(name: string, options: TableOptions): void {
  const { columns, delimiter = ',', quote = '"', formulas, extra, eol, null: nothing = '' } = options;
  const bad = (option: string, value: unknown, needs: string): never => {
    throw new RangeError(`${name}: ${option} must be ${needs}, not ${JSON.stringify(value) ?? String(value)}`);
  };
  if (!/^[^"'\r\n\\\]^[\0\ufeff\p{L}\p{N}.+-]$/u.test(delimiter))
    bad('delimiter', delimiter, 'one character that is no letter, digit, sign, quote or bracket');
  if (eol !== undefined && eol !== '\n' && eol !== '\r\n') bad('eol', eol, `'\\n' or '\\r\\n'`);
  if (typeof nothing !== 'string' || nothing.includes(delimiter) || nothing.includes(quote) || /[\r\n\0]/.test(nothing))
    bad('null', nothing, 'text without delimiter, quote or line break');
  if (quote !== '"' && quote !== "'") bad('quote', quote, `'"' or "'"`);
  if (formulas !== undefined && formulas !== 'escape' && formulas !== 'keep') bad('formulas', formulas, `'escape' or 'keep'`);
  if (columns === undefined) return;
  if (!Array.isArray(columns) || columns.length === 0) bad('columns', columns, 'a list of at least one column');
  const headers = new Set<string>(extra ? ['_extra'] : []);
  for (const choice of columns) {
    const header = typeof choice === 'string' ? choice : (choice.header ?? ('path' in choice ? choice.path : undefined));
    if (typeof header !== 'string' || header === '') bad('columns', choice, 'paths, or { path, header }, or { header, value }');
    else if (headers.has(header)) bad('columns', choice, 'without the same heading twice');
    else headers.add(header);
  }
}
