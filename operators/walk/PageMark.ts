import { fingerprint, fingerprintOf } from './fingerprint.ts';

/**
 * What tells a page from the one before. Pages mostly differ in their first row, so all rows are read only if they
 * don't, or for a journal, where it is a number.
 */
export class PageMark {
  readonly #rows: readonly unknown[];
  #first: number | undefined;
  #all: number | undefined;

  constructor(rows: readonly unknown[]) {
    this.#rows = rows;
  }

  /** The fingerprint of all rows. */
  toJSON(): number {
    return (this.#all ??= fingerprintOf(this.#rows));
  }

  /** Whether the rows are the same as those of `other`, a mark or what a journal holds of one. */
  equals(other: PageMark | number): boolean {
    if (typeof other === 'number') return this.toJSON() === other;
    return this.#firstRow === other.#firstRow && this.toJSON() === other.toJSON();
  }

  get #firstRow(): number {
    return (this.#first ??= fingerprint(this.#rows[0]));
  }
}
