import { CaptureCounts } from '../../../operators/estimate/CaptureCounts.ts';
import { nextRows, type MoreQueries, type NextRows, type noNextRows } from '../../../operators/estimate/nextRows.ts';
import type { NoBound, TotalBound } from '../../../operators/estimate/totalBound.ts';
import { DigestMap } from './DigestSet.ts';

/** With so many rows, chance is a fraction of a per cent, and they take 4 MB at most. */
const mostRows = 2 ** 17;

/** Of a row that three queries found or more, nobody asks which. */
const threeQueries: readonly number[] = [0, 1, 2];

/** Counts how many queries found each row, by a sample once there are many rows, so that memory stays flat. */
export class SampledCaptures {
  #rows = new DigestMap();
  #counts: CaptureCounts<bigint> = new CaptureCounts(this.#rows);
  /** Rows for each one in the sample. */
  #scale = 1;
  /** Rows with a smaller digest are in the sample. */
  #below = 2n ** 64n;
  /** The share of new rows in the last page of which some were in the sample. */
  #freshShare = 0;

  add(row: bigint, query: number): void {
    if (row >= this.#below) return;
    this.#counts.add(row, query);
    if (this.#rows.size > mostRows) this.#halve();
  }

  /** Takes the rows of a page. Returns how many of them no page had before, which a sample only estimates. */
  take(rows: readonly bigint[], query: number): number {
    let [known, fresh] = [0, 0];
    for (const row of rows) {
      if (row < this.#below) {
        if (this.#rows.get(row) === undefined) fresh += 1;
        else known += 1;
      }
      this.add(row, query);
    }
    if (fresh + known > 0) this.#freshShare = fresh / (fresh + known);
    return Math.round(rows.length * this.#freshShare);
  }

  /** How many rows there are at least. `found`: what was found, where that is known better than a sample tells. */
  bound(found?: number, share?: number): TotalBound | NoBound {
    const bound = this.#counts.bound(share);
    if (this.#scale === 1 || typeof bound === 'string') return bound;
    found ??= this.#scale * bound.found;
    const whole = (rows: number): number => found + this.#scale * (rows - bound.found);
    return { found, atLeast: whole(bound.atLeast), low: whole(bound.low), high: whole(bound.high) };
  }

  /** How many new rows more queries would bring. */
  next(more: MoreQueries): NextRows | keyof typeof noNextRows {
    const next = nextRows(this.#counts.captures, more);
    if (typeof next === 'string') return next;
    const { about, low, high } = next;
    return { about: about * this.#scale, low: low * this.#scale, high: high * this.#scale };
  }

  #halve(): void {
    const [rows, counts] = [this.#rows, this.#counts];
    this.#rows = new DigestMap();
    this.#counts = new CaptureCounts(this.#rows);
    this.#scale *= 2;
    this.#below /= 2n;
    for (const [row] of rows.entries())
      if (row < this.#below) for (const query of counts.queriesOf(row) ?? threeQueries) this.#counts.add(row, query);
  }
}
