import type { ColumnProfile, RowsPart } from '../api.ts';
import type { TableView } from './TableView.ts';

/** The rows of one table, however they are kept. */
export interface TableRows {
  /** How many there are. */
  readonly rows: number;
  part(view: TableView, offset: number, limit: number): Promise<RowsPart>;
  /** A row in full. Throws a RangeError if there is none of this number. */
  row(n: number): Promise<object>;
  profile(column: number, view: TableView): Promise<ColumnProfile>;
  /** Places on a map, at most `limit`: the row's number, and the values of two columns. */
  points(
    latitude: number,
    longitude: number,
    view: TableView,
    limit: number,
  ): Promise<readonly (readonly [n: number, lat: number, lon: number])[]>;
  /** The rows of a view in full, in its order. */
  scan(view: TableView): AsyncIterable<object>;
  close(): void;
}

/** How long a request waits for what isn't there yet before it tells how far that is. */
export const patienceMs = 300;

/** Bars of a histogram. */
export const barCount = 20;
/** Where a bar begins. */
export function barStart(bar: number, min: number, max: number): number {
  return min + (bar * (max - min)) / barCount;
}

/** The most frequent values that are told. */
export const topCount = 10;

/** What a column's values are measured by in a histogram. undefined: there is none. */
export function measureOf(type: string | undefined): 'number' | 'time' | undefined {
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'timestamp' || type === 'date' ? 'time' : undefined;
}
