import { type MoreQueries, nextRows, type NextRows, type noNextRows } from '../../../operators/estimate/nextRows.ts';
import { CaptureCounts } from '../../../operators/estimate/CaptureCounts.ts';
import type { NoBound, TotalBound } from '../../../operators/estimate/totalBound.ts';
import type { FlowStage } from '../definition/Flow.ts';
import { digestCount, digestsOf, type RowKeys } from './events.ts';
import type { BegunQuery } from './Query.ts';
import { DigestMap } from './Dedup.ts';

/** Counts how many queries found each row of a stage. */
export class RowSightings {
  readonly curve: NewRowsCurve = new NewRowsCurve();
  private readonly counts = new SampledSightings();
  private readonly splits: boolean;
  /** Rows that came before aren't written again. */
  private readonly unique: boolean;
  /** Rows of queries that haven't ended, of a stage that splits queries. */
  private readonly open = new Map<number, OpenRows>();

  constructor({ split, by }: FlowStage) {
    this.splits = split !== undefined;
    this.unique = by.length > 0;
  }

  /** Takes a page. */
  take({ number: query }: Pick<BegunQuery, 'number'>, keys: RowKeys): void {
    const found = [keys.new, keys.again].flatMap((text) => (text === undefined ? [] : digestsOf(text)));
    const unknown = this.splits ? 0 : this.counts.take(found, query);
    const added = this.unique ? digestCount(keys.new) : unknown;
    this.curve.add(added, found.length - added);
    if (!this.splits) return;
    const open = this.open.get(query) ?? { rows: [], beside: [] };
    this.open.set(query, open);
    const outside = keys.beside === undefined ? [] : digestsOf(keys.beside);
    open.rows.push(...(outside.length === 0 ? found : found.filter((row) => !outside.includes(row))));
    open.beside.push(...outside);
  }

  /** How many rows there are at least. Wide and narrow queries look for the same things, so a few common rows tell. */
  bound(): ReturnType<SampledSightings['bound']> {
    const found = this.unique ? this.curve.parts.reduce((sum, { added }) => sum + added, 0) : undefined;
    return this.counts.bound(found, this.splits ? 0 : undefined);
  }

  /** Rows that were written, though their id came before. Of very many rows an estimate. */
  get repeated(): number {
    return this.unique ? 0 : this.curve.parts.reduce((sum, { again }) => sum + again, 0);
  }

  /** How many new rows more queries would bring. Those of a split divide the rows, and there are no more of them. */
  next(more: MoreQueries): ReturnType<SampledSightings['next']> | 'divided' {
    return this.splits ? 'divided' : this.counts.next(more);
  }

  /**
   * A query has ended. The narrower queries of a split divide the rows, so all of them count as one. The wider ones before them
   * count as a second one, with what a search of a tile found beside it.
   */
  end(query: number, wide: boolean = false): void {
    const { rows = [], beside = [] } = this.open.get(query) ?? {};
    this.open.delete(query);
    for (const row of rows) this.counts.add(row, wide ? wideQueries : narrowQueries);
    for (const row of beside) this.counts.add(row, wideQueries);
  }
}

interface OpenRows {
  readonly rows: bigint[];
  readonly beside: bigint[];
}

const [narrowQueries, wideQueries] = [0, 1];

/** With this many rows, chance is a fraction of a per cent, and they take 4 MB at most. */
const maxRows = 2 ** 17;

/** Of a row that three queries found or more, nobody asks which. */
const threeQueries: readonly number[] = [0, 1, 2];

/** Counts how many queries found each row, by a sample once there are many rows, so that memory stays flat. */
export class SampledSightings {
  private rows = new DigestMap();
  private counts: CaptureCounts<bigint> = new CaptureCounts(this.rows);
  /** Rows for each one in the sample. */
  private scale = 1;
  /** Rows with a smaller digest are in the sample. */
  private below = 2n ** 64n;
  /** The share of new rows in the last page of which some were in the sample. */
  private newShare = 0;

  add(row: bigint, query: number): void {
    if (row >= this.below) return;
    this.counts.add(row, query);
    if (this.rows.size > maxRows) this.halve();
  }

  /** Takes the rows of a page. Returns how many of them no page had before, which a sample only estimates. */
  take(rows: readonly bigint[], query: number): number {
    let [known, added] = [0, 0];
    for (const row of rows) {
      if (row < this.below) {
        if (this.rows.get(row) === undefined) added += 1;
        else known += 1;
      }
      this.add(row, query);
    }
    if (added + known > 0) this.newShare = added / (added + known);
    return Math.round(rows.length * this.newShare);
  }

  /** How many rows there are at least. `found`: what was found, where that is known better than a sample tells. */
  bound(found?: number, share?: number): TotalBound | NoBound {
    const bound = this.counts.bound(share);
    if (this.scale === 1 || typeof bound === 'string') return bound;
    found ??= this.scale * bound.found;
    const whole = (rows: number): number => found + this.scale * (rows - bound.found);
    return { found, atLeast: whole(bound.atLeast), low: whole(bound.low), high: whole(bound.high) };
  }

  /** How many new rows more queries would bring. */
  next(more: MoreQueries): NextRows | keyof typeof noNextRows {
    const next = nextRows(this.counts.captures, more);
    if (typeof next === 'string') return next;
    const { about, low, high } = next;
    return { about: about * this.scale, low: low * this.scale, high: high * this.scale };
  }

  private halve(): void {
    const [rows, counts] = [this.rows, this.counts];
    this.rows = new DigestMap();
    this.counts = new CaptureCounts(this.rows);
    this.scale *= 2;
    this.below /= 2n;
    for (const [row] of rows.entries())
      if (row < this.below) for (const query of counts.queriesOf(row) ?? threeQueries) this.counts.add(row, query);
  }
}

/** Requests that follow each other, with the rows that they brought. */
export interface CurvePart {
  readonly requests: number;
  /** New rows. */
  readonly added: number;
  /** Rows that came before. */
  readonly again: number;
}

/** How many rows of a stage were new, request by request. When it has too many parts, two become one, so memory doesn't grow. */
export class NewRowsCurve {
  private made: CurvePart[] = [];
  /** Requests of a part. */
  private width = 1;
  private readonly limit: number;

  /** `limit` is even. */
  constructor(limit = 120) {
    this.limit = limit;
  }

  /** In the order of requests. Each but the last has the same number of them. */
  get parts(): readonly CurvePart[] {
    return this.made;
  }

  /** Takes the rows of a request. */
  add(added: number, again: number): void {
    const last = this.made.at(-1);
    if (last !== undefined && last.requests < this.width) {
      this.made[this.made.length - 1] = sum(last, { requests: 1, added, again });
      return;
    }
    if (this.made.length === this.limit) {
      this.made = this.made.flatMap((part, at) => (at % 2 === 0 ? [sum(part, this.made[at + 1]!)] : []));
      this.width *= 2;
    }
    this.made.push({ requests: 1, added, again });
  }
}

function sum(one: CurvePart, other: CurvePart): CurvePart {
  return { requests: one.requests + other.requests, added: one.added + other.added, again: one.again + other.again };
}
