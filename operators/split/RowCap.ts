/** A count this close to the cap means that a search was cut off: services drop a few rows after counting. */
const nearCap = 0.95;

/** Until the cap is known, a search is walked to so many times `full`. Real caps lie near `full`; an endless walk ends here. */
const unknownCap = 4;

/** The number of rows at which the walk of a search ends. */
export function walkLimit(cap: number | undefined, full: number): number {
  return cap === undefined || cap === Infinity ? unknownCap * full : cap;
}

/** The rows of a page where an operation doesn't say how many they are. */
export const usualPage = 20;

export interface RowCapOptions {
  /** This many rows may mean that there are more, until the searches themselves show where they stop. */
  readonly full: number;
  /** Rows of a full page: a walk whose pages were all full may have been cut off. */
  readonly pageSize: number;
}

/** Learns at how many rows searches are cut off: two end at the same number, and none has more. */
export class RowCap {
  readonly #options: RowCapOptions;
  #most = 0;
  #cap: number;
  /** Caps that turned out to be none. Walks may still end there. */
  readonly #former = new Set<number>();

  /** `cap`: what is known already. */
  constructor(options: RowCapOptions, cap: number = Infinity) {
    this.#options = options;
    this.#cap = cap;
  }

  /** Infinity until it is known. */
  get cap(): number {
    return this.#cap;
  }

  /** Takes the number of rows of a search. Returns whether this shows the cap. */
  count(rows: number): boolean {
    if (rows > this.#most) {
      this.#most = rows;
      if (this.#cap < rows) {
        this.#former.add(this.#cap);
        this.#cap = Infinity;
      }
      return false;
    }
    if (rows < this.#most || rows < this.#options.pageSize || this.#cap === rows) return false;
    this.#cap = rows;
    return true;
  }

  /** Whether a search with so many rows was cut off, or may have been. */
  cuts(rows: number): boolean {
    const { full, pageSize } = this.#options;
    if (this.#cap !== Infinity) return rows >= this.#cap * nearCap;
    return rows >= full || this.#former.has(rows) || (rows >= 2 * pageSize && rows % pageSize === 0);
  }
}
