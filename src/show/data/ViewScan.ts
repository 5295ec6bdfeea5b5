import type { RowsPart, ShownRow } from '../api.ts';
import { isEmpty, isNumeric } from './filterKinds.ts';
import { settlesWithin } from './settlesWithin.ts';
import { measureOf } from './TableRows.ts';
import { shownCells, type SeenRow, type SeenRows, type SourceColumn } from './TableSpec.ts';
import { fitsView, type TableView } from './TableView.ts';

/** Rows whose cells are kept. */
export const keptRows = 1000;

export interface ScanOptions {
  /** It reads no further once it has found so many rows. @default all */
  readonly limit?: number;
  /** Rows of a sorted view that are kept: the first ones. @default all */
  readonly sorted?: number;
}

/** Finds the rows of a view while it reads a file from its beginning, so the first ones are known before the last line was read. */
export class ViewScan {
  /** How many fit so far. */
  total = 0;
  readonly #numbers: number[] = [];
  readonly #cells: ShownRow[] = [];
  readonly #sorted: FirstRows | undefined;
  readonly #share: () => number;
  readonly #limit: number;
  readonly #finished: Promise<void>;
  #isDone = false;
  #isEnded = false;
  #wanted: { readonly count: number; readonly tell: () => void } | undefined;

  /** `share` tells how much of the file was read. */
  constructor(
    view: TableView,
    columns: readonly SourceColumn[],
    rows: SeenRows,
    share: () => number,
    { limit = Infinity, sorted = Infinity }: ScanOptions = {},
  ) {
    // prettier-ignore
    this.#share = share;
    this.#limit = limit;
    if (view.sort !== undefined) this.#sorted = new FirstRows(columns[view.sort.column]!, view.sort.down, sorted);
    this.#finished = this.#run(view, columns, rows);
    this.#finished.catch(() => undefined); // told by those who wait for it
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The share of the file that was read. */
  get read(): number {
    return this.#isDone ? 1 : Math.min(0.999, this.#share());
  }

  /** Where the rows are in the file, in the view's order. Those of a sorted view are known at the end. */
  get numbers(): readonly number[] {
    return this.#sorted === undefined ? this.#numbers : this.#isDone ? this.#sorted.numbers : [];
  }

  /** Waits until all were found. */
  all(): Promise<void> {
    return this.#finished;
  }

  /** Waits until so many are known, but not longer than `ms`. */
  async upTo(count: number, ms: number): Promise<void> {
    if (this.numbers.length >= count) return;
    const enough = new Promise<void>((resolve) => (this.#wanted = { count, tell: resolve }));
    await settlesWithin(Promise.race([enough, this.#finished]), ms);
  }

  /** The rows that were found so far. undefined: they aren't kept. */
  part(offset: number, limit: number): RowsPart | undefined {
    if (this.#sorted !== undefined || offset + limit > keptRows) return undefined;
    return { rows: this.#cells.slice(offset, offset + limit), ...this.found };
  }

  /** How many rows there are, or how much of the file was read. */
  get found(): Pick<RowsPart, 'total' | 'read'> {
    return this.#isDone ? { total: this.total, read: undefined } : { total: undefined, read: this.read };
  }

  /** Reads no further. */
  end(): void {
    this.#isEnded = true;
  }

  async #run(view: TableView, columns: readonly SourceColumn[], rows: SeenRows): Promise<void> {
    for await (const some of rows) {
      for (const row of some) {
        if (this.#isEnded) throw new Error('Too many views of this file are being read. Look again.');
        if (!fitsView(view, columns, row)) continue;
        this.total += 1;
        if (this.#sorted !== undefined) this.#sorted.add(row);
        else {
          this.#numbers.push(row.n);
          if (this.#cells.length < keptRows) this.#cells.push({ n: row.n, cells: shownCells(row.row(), columns) });
          if (this.total >= (this.#wanted?.count ?? Infinity)) this.#wanted?.tell();
        }
        if (this.total === this.#limit) return;
      }
    }
    this.#sorted?.end();
    this.#isDone = true;
  }
}

/** The first rows in the order of a column. */
class FirstRows {
  readonly #column: SourceColumn;
  readonly #isNumber: boolean;
  readonly #sign: number;
  readonly #count: number;
  #rows: SortedRow[] = [];
  /** A row after this one isn't among the first. */
  #last: SortedRow | undefined;
  #numbers: readonly number[] = [];

  constructor(column: SourceColumn, down: boolean, count: number) {
    this.#column = column;
    this.#isNumber = measureOf(column.type) === 'number';
    this.#sign = down ? -1 : 1;
    this.#count = count;
  }

  get numbers(): readonly number[] {
    return this.#numbers;
  }

  add(row: SeenRow): void {
    const cell = row.cell(this.#column);
    // What has no value, or no number where numbers are sorted, comes last.
    const by = isEmpty(cell) ? null : !this.#isNumber ? cell : isNumeric(cell!) ? Number(cell) : null;
    const one = { n: row.n, by };
    if (this.#last !== undefined && this.#order(one, this.#last) > 0) return;
    this.#rows.push(one);
    if (this.#rows.length >= 2 * this.#count) this.#cut();
  }

  end(): void {
    this.#cut();
    this.#numbers = this.#rows.map(({ n }) => n);
    this.#rows = [];
  }

  #cut(): void {
    this.#rows.sort((one, other) => this.#order(one, other));
    if (this.#rows.length <= this.#count) return;
    this.#rows.length = this.#count;
    this.#last = this.#rows.at(-1);
  }

  #order({ n, by }: SortedRow, other: SortedRow): number {
    if (by === null || other.by === null) return Number(by === null) - Number(other.by === null) || n - other.n;
    return (by < other.by ? -this.#sign : by > other.by ? this.#sign : 0) || n - other.n;
  }
}

interface SortedRow {
  readonly n: number;
  readonly by: string | number | null;
}

const maxScans = 3;

/** The last views that somebody looked at. */
export class ViewScans {
  readonly #scans = new Map<string, ViewScan>();
  readonly #begin: (view: TableView) => ViewScan;

  constructor(begin: (view: TableView) => ViewScan) {
    this.#begin = begin;
  }

  of(view: TableView): ViewScan {
    const key = JSON.stringify(view);
    const scan = this.#scans.get(key) ?? this.#begin(view);
    this.#scans.delete(key);
    this.#scans.set(key, scan); // the last one used is the last one to go
    const [[oldest, first] = []] = this.#scans;
    if (this.#scans.size > maxScans && oldest !== undefined) {
      first?.end();
      this.#scans.delete(oldest);
    }
    return scan;
  }

  /** Waits until those that were begun have found all. */
  async idle(): Promise<void> {
    await Promise.allSettled(Array.from(this.#scans.values(), (scan) => scan.all()));
  }

  close(): void {
    for (const scan of this.#scans.values()) scan.end();
    this.#scans.clear();
  }
}
