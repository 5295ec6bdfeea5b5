import { jsonText } from './jsonText.ts';

/** What a spreadsheet would calculate: the signs, also in full width, also behind blanks and quotes. */
const formula = /^(?:[\s"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|["']*[\t\r\n])/;
const plainNumber = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?%?$/;

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
