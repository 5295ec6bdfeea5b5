import type { ValuePath } from '../../../operators/LazyRow.ts';
import type { ResponseIssue } from '../../contract/index.ts';
import type { RowSpans } from './RowScanner.ts';
import { RowSpan, SpanPage } from './RowSpan.ts';

/** Rows for another process, as plain data. Their bytes travel beside it. */
export interface PackedSpans {
  readonly count: number;
  /**
   * How many bytes there are: rows, with a comma between two. Then numbers: for each row its length and how many numbers its
   * places take, and then the places of all rows. Then the paths of the values, as JSON.
   */
  readonly bytes: readonly [rows: number, numbers: number, paths: number];
  readonly issues: readonly ResponseIssue[];
  readonly mark: number;
}

const [lineFeed, comma, open, close] = [10, 44, 123, 125];
const step = 3;
const mostKnown = 1000;

/** Packs the rows of a body, which are next to each other. */
export function packSpans({ rows, issues, mark }: RowSpans): readonly [packed: PackedSpans, ...bytes: Buffer[]] {
  const spans = rows as readonly RowSpan[];
  const [first, last] = [spans[0], spans.at(-1)];
  const count = spans.length;
  if (first === undefined || last === undefined) return [{ count, bytes: [0, 0, 0], issues, mark }];
  const sizes = 2 * count;
  const numbers = new Int32Array(sizes + last.to - first.from);
  numbers.set(first.places.subarray(first.from, last.to), sizes);
  for (let at = sizes; at < numbers.length; at += step) {
    numbers[at + 1]! -= first.start;
    numbers[at + 2]! -= first.start;
  }
  for (let nth = 0; nth < count; nth++) {
    const row = spans[nth]!;
    numbers[2 * nth] = row.length;
    numbers[2 * nth + 1] = row.to - row.from;
  }
  const parts = [
    first.body.subarray(first.start, last.end),
    Buffer.from(numbers.buffer),
    Buffer.from(JSON.stringify(first.paths)),
  ] as const;
  return [{ count, bytes: [parts[0].length, parts[1].length, parts[2].length], issues, mark }, ...parts];
}

/** The rows that another process packed. Throws if the bytes can't be these rows. */
export function unpackSpans({ count, bytes: [size, placed, named], issues, mark }: PackedSpans, packed: Buffer): RowSpans {
  if (packed.length !== size + placed + named) throw new TypeError('its rows are fewer than it says');
  const bytes = packed.subarray(0, size);
  const numbers = new Int32Array(packed.buffer.slice(packed.byteOffset + size, packed.byteOffset + size + (placed & ~3)));
  const page = new SpanPage(bytes, pathsOf(packed.toString('utf8', size + placed)));
  page.places = numbers.subarray(2 * count);
  const rows: RowSpan[] = [];
  let start = 0;
  let from = 0;
  for (let nth = 0; nth < count; nth++) {
    const end = start + numbers[2 * nth]!;
    const to = from + numbers[2 * nth + 1]!;
    const isRow = bytes[start] === open && bytes[end - 1] === close && (nth === 0 || bytes[start - 1] === comma);
    if (!isRow || !areWithin(page, from, to, start, end)) throw new TypeError('its rows are not where it says');
    rows.push(new RowSpan(page, start, end, from, to));
    start = end + 1;
    from = to;
  }
  if (start !== (count === 0 ? 0 : size + 1) || from !== page.places.length || bytes.includes(lineFeed))
    throw new TypeError('its rows are not what it says');
  return { rows, issues, mark };
}

/** Whether these places are values of a row. */
function areWithin({ places, paths }: SpanPage, from: number, to: number, start: number, end: number): boolean {
  if (!((to - from) % step === 0 && to >= from && to <= places.length)) return false;
  const most = paths.length;
  for (let at = from; at < to; at += step) {
    const path = places[at]!;
    const first = places[at + 1]!;
    const after = places[at + 2]!;
    if (path < 0 || path >= most || first <= start || after <= first || after >= end) return false;
  }
  return true;
}

const known = new Map<string, readonly ValuePath[]>();

/** The same list for the same text: whoever reads values knows paths by their list. */
function pathsOf(text: string): readonly ValuePath[] {
  let paths = known.get(text);
  if (paths === undefined) {
    const value: unknown = text === '' ? [] : JSON.parse(text);
    const isPath = (path: unknown): boolean => Array.isArray(path) && path.every((key) => typeof key === 'string');
    if (!(Array.isArray(value) && value.every(isPath))) throw new TypeError('its paths are none');
    paths = value as ValuePath[];
    if (known.size >= mostKnown) known.clear();
    known.set(text, paths);
  }
  return paths;
}
