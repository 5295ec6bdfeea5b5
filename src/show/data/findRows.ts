import type { ShownRow } from '../api.ts';
import { FirstRows, type SortedRow } from './FirstRows.ts';
import { shownCells, type SeenRows, type SourceColumn } from './TableSpec.ts';
import { fitsView, type TableView } from './TableView.ts';

/** Rows whose cells are kept. */
export const keptRows = 1000;

/** A view of some columns, and how much of it is wanted. */
export interface WantedRows {
  readonly view: TableView;
  readonly columns: readonly SourceColumn[];
  /** Nothing more is read once so many rows were found. @default all */
  readonly limit?: number;
  /** Rows of a sorted view that are kept: the first ones. @default all */
  readonly sorted?: number;
}

/** Rows that fit, and that follow those found before. */
export interface FoundRows {
  readonly total: number;
  /** Where they are in the file. Of a sorted view there are none. */
  readonly numbers: readonly number[];
  /** The first ones with their cells. */
  readonly shown: readonly ShownRow[];
  /** The first rows of a sorted view, when all were looked at. */
  readonly sorted: readonly SortedRow[];
}

/** Finds the rows of a view, some at a time. */
export async function* findRows(
  { view, columns, limit = Infinity, sorted = Infinity }: WantedRows,
  rows: SeenRows,
): AsyncGenerator<FoundRows, void, undefined> {
  const first = view.sort && new FirstRows(columns[view.sort.column]!, view.sort.down, sorted);
  let [all, kept] = [0, 0];
  for await (const some of rows) {
    const numbers: number[] = [];
    const shown: ShownRow[] = [];
    let total = 0;
    for (const row of some) {
      if (!fitsView(view, columns, row)) continue;
      total += 1;
      if (first !== undefined) first.see(row);
      else {
        numbers.push(row.n);
        if (kept++ < keptRows) shown.push({ n: row.n, cells: shownCells(row.row(), columns) });
      }
      if (all + total === limit) break;
    }
    all += total;
    yield { total, numbers, shown, sorted: [] };
    if (all === limit) return;
  }
  if (first !== undefined) yield { total: 0, numbers: [], shown: [], sorted: first.all() };
}
