import type { ResponseIssue } from '../../contract/index.ts';
import type { RowSpans } from './RowScanner.ts';
import { RowSpan } from './RowSpan.ts';

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
