import { jsonText } from './jsonText.ts';

/** Blanks as JavaScript knows them. SQL's `\\s` knows fewer. */
const blanks =
  ' \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const escapes: { readonly [blank: string]: string } = { '\t': '\\t', '\n': '\\n', '\v': '\\v', '\f': '\\f', '\r': '\\r' };
/** What a formula begins with, also in full width. */
const signs = '-=+@\uFF1D\uFF0B\uFF0D\uFF20';

/** Characters beyond ASCII that matter at an end of a text. */
export const oddCharacters: readonly string[] = Array.from(blanks + signs).filter((character) => character > '\u007f');

/** What a spreadsheet may run as a formula: the signs, also behind blanks and quotes. Written so that SQL reads it the same. */
export const formulaPattern: string = `([${Array.from(blanks, (one) => escapes[one] ?? one).join('')}"']*[${signs}]|["']*[\\t\\r\\n])`;
/**
 * What a spreadsheet may take for a number, a date or a sum, but runs nothing: numbers, phone numbers, times. Each function, cell or
 * program that a formula can name has a letter.
 */
export const plainNumberPattern: string = '^[-+]([-+0-9 .,:/()%]|[0-9][eE][-+]?[0-9])*$';
const formula = new RegExp(`^${formulaPattern}`);
const plainNumber = new RegExp(plainNumberPattern);

/** A value as the text of a cell: nothing for null and undefined, JSON for lists and objects. */
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
 * Puts an apostrophe before text that a spreadsheet may run as a formula. Numbers and phone numbers stay as they are. It
 * can be undone: take one apostrophe off where what follows it would have got one.
 */
export function withoutFormula(cell: string): string {
  const first = cell.charCodeAt(0);
  // letters and digits, which nearly all cells begin with, are out at once
  if ((first >= 0x30 && first <= 0x39) || (first >= 0x41 && first <= 0x7e)) return cell;
  return formula.test(cell) && !plainNumber.test(cell) ? `'${cell}` : cell;
}

/** A cell as it was before `withoutFormula`. */
export function withFormula(cell: string): string {
  if (cell.charCodeAt(0) !== 0x27) return cell;
  const plain = cell.slice(1);
  return formula.test(plain) && !plainNumber.test(plain) ? plain : cell;
}

export function hasOuterBlank(text: string): boolean {
  return isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1));
}

/** Also for control characters. */
function isBlank(code: number): boolean {
  return code <= 0x20 || (code >= 0xa0 && blanks.includes(String.fromCharCode(code)));
}
