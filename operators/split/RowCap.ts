import { strays } from './learnSight.ts';

/** Numbers of rows that differ by less count as the same: services drop a few rows after counting, or add a few from beyond the view. */
const tolerance = 0.05;

/** Until the cap is known, a walk ends at this many times `full`, so that none is endless. Real caps lie near `full`. */
const unknownCap = 4;

/** The number of rows at which the walk of a search ends. */
export function walkLimit(cap: number | undefined, full: number): number {
  return cap === undefined || cap === Infinity ? unknownCap * full : cap;
}

/** The assumed number of rows of a full page, if the operation doesn't say it. */
export const usualPage = 20;

export interface RowCapOptions {
  /** This many rows may mean that there are more, until the searches themselves show where they stop. */
  readonly full: number;
  /** Rows of a full page: a walk whose pages were all full may have been cut off. */
  readonly pageSize: number;
}

/** Learns at how many rows searches are cut off: at the highest number of rows so far, once two searches have ended near it. */
export class RowCap {
  private readonly options: RowCapOptions;
  private most: number;
  private second: number;

  /** `cap`: what is known already. */
  constructor(options: RowCapOptions, cap: number = Infinity) {
    this.options = options;
    this.most = this.second = cap === Infinity ? 0 : cap;
  }

  /** The number at which searches end. Infinity until it is known exactly. */
  get cap(): number {
    return this.most === this.second && this.isShown ? this.most : Infinity;
  }

  /** About the number at which searches end. Infinity until that is known. */
  get top(): number {
    return this.isShown ? this.most : Infinity;
  }

  count(rows: number): void {
    if (rows >= this.most) [this.most, this.second] = [rows, this.most];
    else this.second = Math.max(this.second, rows);
  }

  /** Whether a search with this many rows was cut off, or may have been. */
  cuts(rows: number): boolean {
    const { full, pageSize } = this.options;
    if (this.isShown) return rows >= this.most - this.slack;
    return rows >= full || (rows >= 2 * pageSize && rows % pageSize <= strays);
  }

  private get isShown(): boolean {
    return this.most >= this.options.pageSize && this.most - this.second <= this.slack;
  }

  private get slack(): number {
    return Math.max(strays, this.most * tolerance);
  }
}
