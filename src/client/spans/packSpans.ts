import type { ResponseIssue } from '../../contract/index.ts';
import type { RowSpans } from './RowScanner.ts';
import { RowSpan } from './RowSpan.ts';
import { LazyRow } from '../../../operators/LazyRow.ts';

/** Rows for another process, as plain data. Their bytes travel beside it, as they stand in the body. */
export interface PackedSpans {
  /** The length of the bytes: the rows, with a comma between two. */
  readonly bytes: number;
  /** Fields of the rows that the other process reads. */
  readonly names: readonly string[];
  /** For each row: its length, then where the value of each of the `names` begins and ends. -1: the row doesn't have it. */
  readonly places: readonly number[];
  readonly issues: readonly ResponseIssue[];
  readonly mark: number;
}

/** Packs the rows of a body, all of which are next to each other. */
export function packSpans({ rows, issues, mark }: RowSpans, names: readonly string[]): readonly [packed: PackedSpans, bytes: Buffer] {
  const places: number[] = [];
  for (const row of rows as readonly RowSpan[]) {
    places.push(row.length);
    for (const name of names) {
      const [start, end] = row.placeOf(name) ?? nowhere;
      places.push(start, end);
    }
  }
  const bytes = RowSpan.between(rows.at(0) as RowSpan | undefined, rows.at(-1) as RowSpan | undefined);
  return [{ bytes: bytes.length, names, places, issues, mark }, bytes];
}

const nowhere = [-1, -1] as const;

/** A row as another process sent it, with the places of the fields that are read here. */
export class SentRow extends LazyRow {
  readonly bytes: Buffer;
  readonly #names: readonly string[];
  readonly #places: readonly number[];
  readonly #first: number;

  /** `places`, from `first` on, holds where the value of each of the `names` begins and ends. -1: the row doesn't have it. */
  constructor(bytes: Buffer, names: readonly string[], places: readonly number[], first: number) {
    super();
    this.bytes = bytes;
    this.#names = names;
    this.#places = places;
    this.#first = first;
  }

  override text(name: string): string | undefined {
    const index = this.#names.indexOf(name);
    if (index === -1) return super.text(name);
    const at = this.#first + 2 * index;
    const start = this.#places[at]!;
    return start === -1 ? undefined : this.bytes.toString('utf8', start, this.#places[at + 1]);
  }
}

const [lineFeed, comma, open, close] = [10, 44, 123, 125];

/** The rows that another process packed. Throws if the bytes can't be these rows. */
export function unpackSpans({ names, places, issues, mark }: PackedSpans, bytes: Buffer): RowSpans {
  const rows: SentRow[] = [];
  const step = 1 + 2 * names.length;
  let start = 0;
  for (let at = 0; at < places.length; at += step) {
    const end = start + places[at]!;
    const isRow = bytes[start] === open && bytes[end - 1] === close && (at === 0 || bytes[start - 1] === comma);
    if (!isRow || places.length < at + step) throw new TypeError('its rows are not where it says');
    rows.push(new SentRow(bytes.subarray(start, end), names, places, at + 1));
    start = end + 1;
  }
  if (start !== (rows.length === 0 ? 0 : bytes.length + 1) || bytes.includes(lineFeed))
    throw new TypeError('its rows are not what it says');
  return { rows, issues, mark };
}
