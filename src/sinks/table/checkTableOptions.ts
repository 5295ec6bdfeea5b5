import type { TableOptions } from '../TableOptions.ts';

/** Refuses what no table can be made with; `name` is the function that was called. */
export function checkTableOptions(name: string, options: TableOptions): void {
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
