import type { ColumnProfile, Facet, RowsPart, ShownPoint } from '../api.ts';
import type { TableView } from './TableView.ts';

/** The columns of points on a map, by their places. */
export interface PointColumns {
  readonly latitude: number;
  readonly longitude: number;
  /** Whose values tell the points apart by colour. */
  readonly colour: number | undefined;
}

/** The rows of one table, however they are kept. */
export interface TableRows {
  /** How many there are. */
  readonly rows: number;
  part(view: TableView, offset: number, limit: number): Promise<RowsPart>;
  /** A row in full. Throws a RangeError if there is none of this number. */
  row(n: number): Promise<object>;
  profile(column: number, view: TableView): Promise<ColumnProfile>;
  /** Rows on a map, at most `limit`. */
  points(columns: PointColumns, view: TableView, limit: number): Promise<readonly ShownPoint[]>;
  /** The columns with few values, and how many rows of a view have each of them. */
  facets(view: TableView): Promise<readonly Facet[]>;
  /** The rows of a view in full, in its order. */
  scan(view: TableView): AsyncIterable<object>;
  close(): void;
}

/** What a column's values are measured by in a histogram. undefined: there is none. */
export function measureOf(type: string | undefined): 'number' | 'time' | undefined {
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'timestamp' || type === 'date' ? 'time' : undefined;
}

const patienceMs = 300;

/**
 * Whether something is settled before the page is told how much of the file was read. It throws what that throws.
 */
export async function settlesSoon(promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, patienceMs, false)));
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
