import type { RowsPart, ShownRow } from '../api.ts';
import { settlesWithin } from './settlesWithin.ts';
import { cellOf, shownCells, type SourceColumn } from './TableSpec.ts';
import { fitsView, type TableView } from './TableView.ts';

/** Rows whose cells are kept. */
export const keptRows = 1000;

export interface ScannedRow {
  readonly n: number;
  /** What the view is sorted by. */
  readonly by: string | null;
}

/** Finds the rows of a view while it reads a file from its beginning, so the first ones are known before the last line was read. */
export class ViewScan {
  readonly found: ScannedRow[] = [];
  readonly #cells: ShownRow[] = [];
  readonly #share: () => number;
  readonly #limit: number;
  readonly #finished: Promise<void>;
  #isDone = false;
  #isEnded = false;
  #wanted: { readonly count: number; readonly tell: () => void } | undefined;

  /** `share` tells how much of the file was read. It reads no further once it has found `limit` rows. */
  constructor(
    view: TableView,
    columns: readonly SourceColumn[],
    rows: AsyncIterable<object>,
    share: () => number,
    limit: number = Infinity,
  ) {
    this.#share = share;
    this.#limit = limit;
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

  /** Waits until all were found. */
  all(): Promise<void> {
    return this.#finished;
  }

  /** Waits until so many were found, but not longer than `ms`. */
  async upTo(count: number, ms: number): Promise<void> {
    if (this.found.length >= count) return;
    const enough = new Promise<void>((resolve) => (this.#wanted = { count, tell: resolve }));
    await settlesWithin(Promise.race([enough, this.#finished]), ms);
  }

  /** The rows that were found so far. undefined: they aren't kept. */
  part(offset: number, limit: number): RowsPart | undefined {
    if (offset + limit > keptRows) return undefined;
    const total = this.#isDone ? this.found.length : undefined;
    return { rows: this.#cells.slice(offset, offset + limit), total, read: this.#isDone ? undefined : this.read };
  }

  /** Reads no further. */
  end(): void {
    this.#isEnded = true;
  }

  async #run(view: TableView, columns: readonly SourceColumn[], rows: AsyncIterable<object>): Promise<void> {
    const { search, filters, sort } = view;
    const isPlain = search === '' && filters.length === 0;
    let n = -1;
    for await (const row of rows) {
      n += 1;
      if (this.#isEnded) throw new Error('Too many views of this file are being read. Look again.');
      if (!isPlain && !fitsView(view, columns.map((column) => cellOf(row, column)))) continue; // prettier-ignore
      this.found.push({ n, by: sort === undefined ? null : cellOf(row, columns[sort.column]!) });
      if (this.#cells.length < keptRows) this.#cells.push({ n, cells: shownCells(row, columns) });
      if (this.found.length >= (this.#wanted?.count ?? Infinity)) this.#wanted?.tell();
      if (this.found.length === this.#limit) return;
    }
    this.#isDone = true;
  }
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

  close(): void {
    for (const scan of this.#scans.values()) scan.end();
    this.#scans.clear();
  }
}
