import { isEmpty, isNumeric } from './filterKinds.ts';
import { measureOf } from './TableRows.ts';
import type { SeenRow, SourceColumn } from './TableSpec.ts';

/** Where a row is, and what it is sorted by. */
export interface SortedRow extends Pick<SeenRow, 'n' | 'bytes'> {
  readonly by: string | number | null;
}

/** The first rows in the order of a column. */
export class FirstRows {
  readonly #column: SourceColumn;
  readonly #isNumber: boolean;
  readonly #sign: number;
  readonly #count: number;
  #rows: SortedRow[] = [];
  /** A row after this one isn't among the first. */
  #last: SortedRow | undefined;

  constructor(column: SourceColumn, down: boolean, count: number) {
    this.#column = column;
    this.#isNumber = measureOf(column.type) === 'number';
    this.#sign = down ? -1 : 1;
    this.#count = count;
  }

  see(row: SeenRow): void {
    const cell = row.cell(this.#column);
    // What has no value, or no number where numbers are sorted, comes last.
    const by = isEmpty(cell) ? null : !this.#isNumber ? cell : isNumeric(cell!) ? Number(cell) : null;
    if (this.#last === undefined || this.#order(row.n, by, this.#last) <= 0) this.add({ n: row.n, bytes: row.bytes, by });
  }

  add(row: SortedRow): void {
    this.#rows.push(row);
    if (this.#rows.length >= 2 * this.#count) this.#cut();
  }

  /** In their order. */
  all(): readonly SortedRow[] {
    this.#cut();
    return this.#rows;
  }

  #cut(): void {
    this.#rows.sort((one, other) => this.#order(one.n, one.by, other));
    if (this.#rows.length <= this.#count) return;
    this.#rows.length = this.#count;
    this.#last = this.#rows.at(-1);
  }

  #order(n: number, by: SortedRow['by'], other: SortedRow): number {
    if (by === null || other.by === null) return Number(by === null) - Number(other.by === null) || n - other.n;
    return (by < other.by ? -this.#sign : by > other.by ? this.#sign : 0) || n - other.n;
  }
}
