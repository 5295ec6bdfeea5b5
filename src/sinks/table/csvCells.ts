import type { TableOptions } from '../TableOptions.ts';
import { jsonText } from '../jsonlEncoder.ts';

/** The rules of CSV: how values become cells, and cells a line. */
export interface CsvCells {
  readonly delimiter: string;
  readonly quote: string;
  readonly eol: string;
  /** The cell of null and of a missing value. */
  readonly nothing: string;
  /** The text of a cell. `json`: text becomes JSON too. */
  cell(value: unknown, json: boolean): string;
  line(values: readonly unknown[], json: readonly boolean[]): string;
  /** The first line. Some readers guess the delimiter from it, so names with another common delimiter are quoted. */
  heading(names: readonly string[]): string;
  /** Counts values with half a surrogate pair, which becomes U+FFFD in UTF-8. A text with NUL was counted by `cell`. */
  countTorn(values: readonly unknown[], json: readonly boolean[]): void;
  /** How many values have U+FFFD in place of a character that CSV can't hold. */
  readonly replaced: () => number;
}

export function csvCells({ delimiter = ',', quote = '"', eol = '\n', null: nothing = '', formulas = 'escape' }: TableOptions): CsvCells {
  /** A cell with one of these needs quotes. */
  const special = new RegExp(`[${quote}\\r\\n\\0\\u{${delimiter.codePointAt(0)!.toString(16)}}]`, 'u');
  let replaced = 0;

  const cell = (value: unknown, json: boolean): string => {
    if (value === undefined || value === null) return nothing;
    if (typeof value === 'number') return Number.isFinite(value) ? String(value) : nothing; // as in JSON
    if (typeof value === 'boolean') return value ? 'true' : 'false';
    const plain = plainOf(value, json);
    if (plain === '') return typeof value === 'string' ? quote + quote : nothing;
    const text = formulas === 'keep' || json ? plain : withoutFormula(plain);
    return special.test(text) || hasOuterBlank(text) || text === nothing || text === '\\.' ? quoted(text) : text;
  };
  const quoted = (text: string): string => {
    let whole = text;
    if (text.includes('\0')) {
      replaced += 1;
      whole = text.replaceAll('\0', '\uFFFD');
    }
    return quote + (whole.includes(quote) ? whole.replaceAll(quote, quote + quote) : whole) + quote;
  };

  return {
    delimiter,
    quote,
    eol,
    nothing,
    cell,
    line(values, json) {
      let line = cell(values[0], json[0] === true);
      for (let index = 1; index < values.length; index++) line += delimiter + cell(values[index], json[index] === true);
      return line + eol;
    },
    heading(names) {
      const cells = names.map((name) => {
        const plain = cell(name, false);
        return /[,;\t]/.test(plain) && !plain.startsWith(quote) ? quoted(plain) : plain;
      });
      return cells.join(delimiter) + eol;
    },
    countTorn(values, json) {
      const texts = values.map((value, column) => plainOf(value, json[column]!));
      replaced += texts.filter((text) => /\p{Surrogate}/u.test(text) && !text.includes('\0')).length;
    },
    replaced: () => replaced,
  };
}

/** The text of a cell, before it is quoted. */
function plainOf(value: unknown, json: boolean): string {
  return json && typeof value === 'string' ? JSON.stringify(value) : csvCell(value);
}

/** All blanks of JavaScript, written out because `\\s` means fewer in SQL. */
const blanks =
  ' \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const escapes: { readonly [blank: string]: string } = { '\t': '\\t', '\n': '\\n', '\v': '\\v', '\f': '\\f', '\r': '\\r' };
/** The signs that begin a formula, also in full width. */
const signs = '-=+@\uFF1D\uFF0B\uFF0D\uFF20';

/** Characters beyond ASCII that have a meaning at the beginning or the end of a text. */
export const oddCharacters: readonly string[] = Array.from(blanks + signs).filter((character) => character > '\u007f');

/** What a spreadsheet may run as a formula: a sign, also after blanks and quotes. Written so that SQL reads it in the same way. */
export const formulaPattern: string = `([${Array.from(blanks, (one) => escapes[one] ?? one).join('')}"']*[${signs}]|["']*[\\t\\r\\n])`;
/**
 * Text that begins with a sign but can't run anything: numbers, phone numbers, times and ids. To call a function or a program, a formula
 * needs a letter, and a bracket or a sign that no id has.
 */
export const harmlessPattern: string = '^[-+](([-+0-9 .,:/()%]|[0-9][eE][-+]?[0-9])*|[-+/_0-9A-Za-z]*=*)$';
const formula = new RegExp(`^${formulaPattern}`);
const harmless = new RegExp(harmlessPattern);

/** A value as the text of a cell: '' for null and undefined, JSON for lists and objects. */
export function csvCell(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? '' : (jsonText(value) ?? '');
    default:
      return '';
  }
}

/**
 * Puts an apostrophe before text that a spreadsheet may run as a formula. Numbers, phone numbers and ids stay as they are.
 * `withFormula` undoes it.
 */
export function withoutFormula(cell: string): string {
  const first = cell.charCodeAt(0);
  // nearly all cells begin with a letter or a digit, and are done here
  if ((first >= 0x30 && first <= 0x39) || (first >= 0x41 && first <= 0x7e)) return cell;
  return formula.test(cell) && !harmless.test(cell) ? `'${cell}` : cell;
}

/** A cell as it was before `withoutFormula`: without the apostrophe, if what follows it would have got one. */
export function withFormula(cell: string): string {
  if (cell.charCodeAt(0) !== 0x27) return cell;
  const plain = cell.slice(1);
  return formula.test(plain) && !harmless.test(plain) ? plain : cell;
}

function hasOuterBlank(text: string): boolean {
  return isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1));
}

/** Whether a character is a blank or a control character. */
function isBlank(code: number): boolean {
  return code <= 0x20 || (code >= 0xa0 && blanks.includes(String.fromCharCode(code)));
}

/** The cells of the first line of a CSV text. */
export function readHeading(text: string, delimiter: string, quote: string = '"'): readonly string[] {
  const cells: string[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    if (text[at] === quote) {
      let end = text.indexOf(quote, at + 1);
      while (end >= 0 && text[end + 1] === quote) end = text.indexOf(quote, end + 2);
      if (end < 0) end = text.length;
      cells.push(text.slice(at + 1, end).replaceAll(quote + quote, quote));
      at = end + 1;
      while (text[at] === ' ') at += 1; // "a" ,b
    } else {
      let end = at;
      while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1;
      cells.push(text.slice(at, end));
      at = end;
    }
    if (text[at] !== delimiter) return cells;
    at += 1;
  }
}
