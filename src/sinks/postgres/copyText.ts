import { microsOf, daysOf, type ColumnKind } from '../table/TableColumn.ts';
import { csvCell } from '../table/csvCells.ts';

/** A value that a column can't hold, and why. */
export class UnfitValue {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

const special = /[\\\t\n\r\0\uD800-\uDFFF]/;
const escapes: { readonly [character: string]: string } = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A text for `COPY`, in its text format. */
function plain(text: string): string | UnfitValue {
  if (!special.test(text)) return text;
  if (text.includes('\0')) return new UnfitValue('a text with a NUL');
  if (/\p{Surrogate}/u.test(text)) return new UnfitValue('a text with half a character (a surrogate without its pair)');
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character]!);
}

/** NUL, or a surrogate without its pair: `JSON.stringify` escapes these. */
const unfitEscape = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

function json(value: unknown): string | UnfitValue {
  const text = JSON.stringify(value);
  if (!text.includes('\\')) return text;
  if (unfitEscape.test(text)) return new UnfitValue('a text with a NUL or half a character');
  return text.replaceAll('\\', '\\\\');
}

const [leastWhole, greatestWhole] = [-(2n ** 63n), 2n ** 63n - 1n];

function isWhole(value: unknown): boolean {
  if (Number.isSafeInteger(value)) return true;
  // integers that JavaScript would round are texts
  if (typeof value === 'number' ? !Number.isInteger(value) : typeof value !== 'string' || !/^-?\d{15,19}$/.test(value)) return false;
  const whole = BigInt(value as number | string);
  return whole >= leastWhole && whole <= greatestWhole;
}

/** How a value of each kind is written, if it is one. */
const cells: { readonly [kind in ColumnKind]: (value: unknown) => string | UnfitValue } = {
  string: (value) => plain(csvCell(value)),
  integer: (value) => (isWhole(value) ? csvCell(value) : misfit(value, 'a whole number of 64 bits')),
  number: (value) => (typeof value === 'number' && Number.isFinite(value) ? csvCell(value) : misfit(value, 'a number')),
  boolean: (value) => (typeof value === 'boolean' ? csvCell(value) : misfit(value, 'true or false')),
  timestamp: (value) => moment(value, isTime, 'a time with its zone'),
  date: (value) => moment(value, isDate, 'a date'),
  json,
};

/** Nearly all times: they are valid whatever month it is. */
const plainTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?Z$/;
const isTime = (text: string): boolean => plainTime.test(text) || microsOf(text) !== undefined;
const isDate = (text: string): boolean => daysOf(text) !== undefined;

const absent = '\\N';

/** In a column of times or dates, an empty text is a missing value. */
function moment(value: unknown, fits: (text: string) => boolean, what: string): string | UnfitValue {
  if (value === '') return absent;
  return typeof value === 'string' && fits(value) ? value : misfit(value, what);
}

function misfit(value: unknown, what: string): UnfitValue {
  const shown = JSON.stringify(value) ?? String(value);
  return new UnfitValue(`${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown} isn't ${what}`);
}

export interface CopiedColumn {
  /** For messages. */
  readonly plain: string;
  readonly kind: ColumnKind;
  /** Its key must not be null. */
  readonly isKey: boolean;
}

/** A row as a line for `COPY`. */
export function copyText(columns: readonly CopiedColumn[], values: readonly unknown[]): string | UnfitValue {
  let line = '';
  for (let nth = 0; nth < columns.length; nth += 1) {
    const column = columns[nth]!;
    const value = values[nth];
    const cell = value === undefined || value === null ? absent : cells[column.kind](value);
    if (cell instanceof UnfitValue) return new UnfitValue(`${column.plain}: ${cell.reason}`);
    if (column.isKey && cell === absent) return new UnfitValue(`${column.plain}: it is null, and a key can't be`);
    line += nth === 0 ? cell : `\t${cell}`;
  }
  return `${line}\n`;
}
