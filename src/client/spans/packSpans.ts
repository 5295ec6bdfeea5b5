import type { ValuePath } from '../../../operators/LazyRow.ts';
import type { ResponseIssue } from '../../contract/index.ts';
import type { RowSpans } from './RowScanner.ts';
import { RowSpan, SpanPage } from './RowSpan.ts';

/** Rows for another process, as plain data. Their bytes travel beside it, and then the places of their values. */
export interface PackedSpans {
  /** The length of the rows, with a comma between two, and of the places. */
  readonly bytes: readonly [rows: number, places: number];
  /** For each row: its length, and the number of its places. */
  readonly rows: readonly number[];
  /** The paths of the values, as JSON. */
  readonly paths: string;
  readonly issues: readonly ResponseIssue[];
  readonly mark: number;
}

const [lineFeed, comma, open, close] = [10, 44, 123, 125];
const step = 3;
const mostKnown = 1000;

/** Packs the rows of a body, which are next to each other. */
export function packSpans({ rows, issues, mark }: RowSpans): readonly [packed: PackedSpans, rows: Buffer, places: Buffer] {
  const spans = rows as readonly RowSpan[];
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return [{ bytes: [0, 0], rows: [], paths: '[]', issues, mark }, nothing, nothing];
  const places = first.places.slice(first.from, last.to);
  for (let at = 0; at < places.length; at += step) {
    places[at + 1]! -= first.start;
    places[at + 2]! -= first.start;
  }
  const bytes = first.body.subarray(first.start, last.end);
  const packed: PackedSpans = {
    bytes: [bytes.length, places.byteLength],
    rows: spans.flatMap((row) => [row.length, row.to - row.from]),
    paths: JSON.stringify(first.paths),
    issues,
    mark,
  };
  return [packed, bytes, Buffer.from(places.buffer)];
}

/** The rows that another process packed. Throws if the bytes can't be these rows. */
export function unpackSpans({ rows: sizes, paths, issues, mark }: PackedSpans, bytes: Buffer, placed: Buffer): RowSpans {
  const page = new SpanPage(bytes, pathsOf(paths));
  page.places = new Int32Array(Uint8Array.from(placed).buffer, 0, placed.length >> 2);
  const rows: RowSpan[] = [];
  let start = 0;
  let from = 0;
  for (let at = 0; at < sizes.length; at += 2) {
    const end = start + sizes[at]!;
    const to = from + sizes[at + 1]!;
    const isRow = bytes[start] === open && bytes[end - 1] === close && (at === 0 || bytes[start - 1] === comma);
    if (!isRow || !areWithin(page, from, to, start, end)) throw new TypeError('its rows are not where it says');
    rows.push(new RowSpan(page, start, end, from, to));
    start = end + 1;
    from = to;
  }
  if (start !== (rows.length === 0 ? 0 : bytes.length + 1) || from * 4 !== placed.length || bytes.includes(lineFeed))
    throw new TypeError('its rows are not what it says');
  return { rows, issues, mark };
}

/** Whether these places are values of a row. */
function areWithin({ places, paths }: SpanPage, from: number, to: number, start: number, end: number): boolean {
  if (!((to - from) % step === 0 && to >= from && to <= places.length)) return false;
  for (let at = from; at < to; at += step) {
    const [path, first, after] = [places[at]!, places[at + 1]!, places[at + 2]!];
    if (!(path >= 0 && path < paths.length && first > start && after > first && after < end)) return false;
  }
  return true;
}

const known = new Map<string, readonly ValuePath[]>();

/** The same list for the same text: whoever reads values knows paths by their list. */
function pathsOf(text: string): readonly ValuePath[] {
  let paths = known.get(text);
  if (paths === undefined) {
    const value: unknown = JSON.parse(text);
    const isPath = (path: unknown): boolean => Array.isArray(path) && path.every((key) => typeof key === 'string');
    if (!(Array.isArray(value) && value.every(isPath))) throw new TypeError('its paths are none');
    paths = value as ValuePath[];
    if (known.size >= mostKnown) known.clear();
    known.set(text, paths);
  }
  return paths;
}

const nothing = Buffer.alloc(0);
