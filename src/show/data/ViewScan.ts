import type { RowsPart, ShownRow } from '../api.ts';
import { FirstRows } from './FirstRows.ts';
import { keptRows, type FoundRows, type WantedRows } from './findRows.ts';
import { settlesWithin } from './settlesWithin.ts';
import type { TableView } from './TableView.ts';

/** The rows of a view as they are found in a file from its beginning, so the first ones are known before the last line was read. */
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
  constructor({ view, columns, limit = Infinity, sorted = Infinity }: WantedRows, found: AsyncIterable<FoundRows>, share: () => number) {
    this.#share = share;
    this.#limit = limit;
    this.#sorted = view.sort && new FirstRows(columns[view.sort.column]!, view.sort.down, sorted);
    this.#finished = this.#run(found);
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
    return this.#numbers;
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
    if (offset + limit > keptRows) return undefined;
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

  async #run(found: AsyncIterable<FoundRows>): Promise<void> {
    const cells = new Map<number, ShownRow>(); // of a sorted view
    for await (const { total, numbers, shown, sorted } of found) {
      if (this.#isEnded) throw new Error('Too many views of this file are being read. Look again.');
      this.total += total;
      for (const n of numbers) this.#numbers.push(n);
      if (this.#sorted === undefined) this.#cells.push(...shown.slice(0, keptRows - this.#cells.length));
      else for (const row of shown) cells.set(row.n, row);
      for (const row of sorted) this.#sorted!.add(row);
      if (this.#numbers.length >= (this.#wanted?.count ?? Infinity)) this.#wanted?.tell();
      if (this.total >= this.#limit) return;
    }
    for (const { n } of this.#sorted?.all() ?? []) {
      this.#numbers.push(n);
      if (cells.has(n)) this.#cells.push(cells.get(n)!);
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

  /** Waits until those that were begun have found all. */
  async idle(): Promise<void> {
    await Promise.allSettled(Array.from(this.#scans.values(), (scan) => scan.all()));
  }

  close(): void {
    for (const scan of this.#scans.values()) scan.end();
    this.#scans.clear();
  }
}
