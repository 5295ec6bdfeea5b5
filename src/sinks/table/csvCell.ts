import { jsonText } from './jsonText.ts';

/** Blanks as JavaScript knows them, spelt out since SQL's \\s knows fewer. */
const blank = ' \\t\\n\\v\\f\\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** What a spreadsheet would calculate: the signs, also in full width, also behind blanks and quotes. Written so that SQL reads it the same. */
export const formulaPattern = `([${blank}"']*[-=+@\uFF1D\uFF0B\uFF0D\uFF20]|["']*[\\t\\r\\n])`;
export const plainNumberPattern: string = '^[-+]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][-+]?[0-9]+)?%?$';
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
 * Puts an apostrophe before text that a spreadsheet would calculate. Plain numbers stay as they are, also in text. It
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
