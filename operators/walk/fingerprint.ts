import { LazyRow, wholeRow } from '../LazyRow.ts';
import { valueAt } from './valueAt.ts';

const mostValues = 24;
/** Longer strings are read at both ends only. An id, or a URL with one, is never that long. */
const mostCharacters = 256;

let a = 0;
let b = 0;
let left = 0;

/**
 * A 53-bit number: equal rows have the same one, different rows almost never do. It reads the first 24 values of a row,
 * and both ends of a string longer than 256 characters.
 */
function fingerprint(row: unknown): number {
  begin();
  read(row);
  return number();
}

/** The fingerprint of a page's rows. */
export function fingerprintOf(rows: readonly unknown[]): number {
  begin();
  for (const row of rows) {
    read(row);
    mix(rows.length);
  }
  return number();
}

function begin(): void {
  a = 0x9e3779b1;
  b = 0x85ebca77;
}

function number(): number {
  return ((b ^ (b >>> 15)) & 0x1fffff) * 2 ** 32 + ((a ^ (a >>> 13)) >>> 0);
}

function read(row: unknown): void {
  left = mostValues;
  visit(wholeRow(row));
}

function visit(value: unknown): void {
  if (typeof value === 'string') return mixText(value);
  if (typeof value === 'number') {
    mix(value | 0);
    return mix((value % 1) * 2 ** 31);
  }
  if (typeof value !== 'object' || value === null) return mix(value === true ? 3 : value === false ? 5 : 7);
  mix(Array.isArray(value) ? 11 : 13);
  for (const key in value) {
    if (left <= 0) return;
    left -= 1;
    mix(key.length);
    visit((value as { readonly [key: string]: unknown })[key]);
  }
}

function mixText(text: string): void {
  const { length } = text;
  mix(length);
  if (length <= mostCharacters) return mixPart(text, 0, length);
  mixPart(text, 0, mostCharacters / 2);
  mixPart(text, length - mostCharacters / 2, length);
}

function mixPart(text: string, from: number, to: number): void {
  let [one, other] = [a, b];
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other + code, 0x9e3779b1);
  }
  a = one;
  b = other;
}

function mix(value: number): void {
  a = Math.imul(a ^ value, 0x9e3779b1);
  a ^= a >>> 15;
  b = Math.imul(b ^ value, 0x5f356495) + 0x7f4a7c15;
  b ^= b >>> 13;
}

/** A number that identifies a row of a page that is requested a second time: by its id, else by all of it. */
export function rowMark(id: string | undefined, row: unknown): number {
  if (id === undefined) return fingerprint(row);
  const value = row instanceof LazyRow && !id.includes('.') ? row.field(id) : valueAt(wholeRow(row), id);
  return fingerprint(value === undefined || value === null || value === '' ? row : value);
}
