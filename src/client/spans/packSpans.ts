import type { ValuePath } from '../../../operators/LazyRow.ts';
import type { ResponseIssue } from '../../contract/index.ts';
import type { RowSpans } from './RowScanner.ts';
import { RowSpan, SpanPage } from './RowSpan.ts';

/** Rows for another process. */
interface PackedSpans {
  readonly spans: SpansHead;
  /** With a comma between two. */
  readonly rows: Buffer;
  /**
   * For each row its length and how many numbers its offsets take, then the offsets of all rows. After these numbers the paths of
   * the values, as JSON.
   */
  readonly offsets: Buffer;
}

/** The rest of their description, as plain data. */
export interface SpansHead {
  readonly count: number;
  readonly issues: readonly ResponseIssue[];
  readonly mark: number;
  /** How many bytes the numbers take. */
  readonly offsetBytes: number;
  /** See `SpanPage`. */
  readonly only?: readonly string[] | undefined;
}

const [lineFeed, comma, open, close] = [10, 44, 123, 125];
const step = 3;
const bytesPerNumber = 4;
const maxKnown = 1000;
const nothing = Buffer.alloc(0);

/** Packs the rows of a body, which are next to each other, for another process. */
export function packSpans({ rows, issues, mark }: RowSpans): PackedSpans {
  const spans = rows as readonly RowSpan[];
  const [first, last] = [spans[0], spans.at(-1)];
  const count = spans.length;
  if (first === undefined || last === undefined) return { spans: { count, issues, mark, offsetBytes: 0 }, rows: nothing, offsets: nothing };
  const { body, only, offsets, paths } = first.page;
  const sizes = 2 * count;
  const offsetBytes = (sizes + last.to - first.from) * bytesPerNumber;
  const text = textOf(paths);
  const packed = Buffer.allocUnsafe(offsetBytes + text.length);
  const numbers = numbersIn(packed, offsetBytes);
  text.copy(packed, offsetBytes);
  for (let nth = 0; nth < count; nth++) {
    const row = spans[nth]!;
    numbers[2 * nth] = row.end - row.start;
    numbers[2 * nth + 1] = row.to - row.from;
  }
  for (let at = first.from, to = sizes; at < last.to; at += step) {
    numbers[to++] = offsets[at]!;
    numbers[to++] = offsets[at + 1]! - first.start;
    numbers[to++] = offsets[at + 2]! - first.start;
  }
  return { spans: { count, issues, mark, offsetBytes, only }, rows: body.subarray(first.start, last.end), offsets: packed };
}

/** The rows that another process packed. Throws if the bytes can't be these rows. */
export function unpackSpans({ spans: { count, issues, mark, offsetBytes, only }, rows: bytes, offsets }: PackedSpans): RowSpans {
  const size = bytes.length;
  if (offsetBytes % bytesPerNumber !== 0 || offsetBytes > offsets.length) throw new TypeError('its rows are not what it says');
  const numbers = numbersIn(offsets.byteOffset % bytesPerNumber === 0 ? offsets : copyOf(offsets), offsetBytes);
  const page = new SpanPage(bytes, pathsOf(offsets.subarray(offsetBytes)), only);
  page.offsets = numbers;
  const rows: RowSpan[] = [];
  let start = 0;
  let from = 2 * count;
  for (let nth = 0; nth < count; nth++) {
    const end = start + numbers[2 * nth]!;
    const to = from + numbers[2 * nth + 1]!;
    const isRow = bytes[start] === open && bytes[end - 1] === close && (nth === 0 || bytes[start - 1] === comma);
    if (!isRow || !areWithin(page, from, to, start, end)) throw new TypeError('its rows are not where it says');
    rows.push(new RowSpan(page, start, end, from, to));
    start = end + 1;
    from = to;
  }
  if (start !== (count === 0 ? 0 : size + 1) || from !== numbers.length || bytes.includes(lineFeed))
    throw new TypeError('its rows are not what it says');
  return { rows, issues, mark };
}

/** Whether these offsets are values of a row. */
function areWithin({ offsets, paths }: SpanPage, from: number, to: number, start: number, end: number): boolean {
  if (!((to - from) % step === 0 && to >= from && to <= offsets.length)) return false;
  const count = paths.length;
  for (let at = from; at < to; at += step) {
    const path = offsets[at]!;
    const first = offsets[at + 1]!;
    const after = offsets[at + 2]!;
    if (path < 0 || path >= count || first <= start || after <= first || after >= end) return false;
  }
  return true;
}

/** The first bytes as numbers. */
function numbersIn({ buffer, byteOffset }: Buffer, size: number): Int32Array {
  return new Int32Array(buffer, byteOffset, size / bytesPerNumber);
}

/** A copy that begins where a number may. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafe(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Paths as JSON, made again only when a list has grown. */
const texts = new WeakMap<readonly ValuePath[], { readonly count: number; readonly text: Buffer }>();

function textOf(paths: readonly ValuePath[]): Buffer {
  let known = texts.get(paths);
  if (known?.count !== paths.length) texts.set(paths, (known = { count: paths.length, text: Buffer.from(JSON.stringify(paths)) }));
  return known.text;
}

const lists = new Map<string, readonly ValuePath[]>();

/** The same list object for the same text, because readers remember paths by their list. */
function pathsOf(bytes: Buffer): readonly ValuePath[] {
  const text = bytes.toString('latin1');
  let paths = lists.get(text);
  if (paths === undefined) {
    const value: unknown = bytes.length === 0 ? [] : JSON.parse(bytes.toString());
    const isPath = (path: unknown): boolean => Array.isArray(path) && path.every((key) => typeof key === 'string');
    if (!(Array.isArray(value) && value.every(isPath))) throw new TypeError('its paths are not lists of keys');
    paths = value as ValuePath[];
    if (lists.size >= maxKnown) lists.clear();
    lists.set(text, paths);
  }
  return paths;
}
