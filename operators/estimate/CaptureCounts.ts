import { totalBound, type Captures, type NoBound, type TotalBound } from './totalBound.ts';

/** Where the queries of each row are kept, as one number: a Map, or something smaller. */
interface QueriesOfRows<Id> {
  get(id: Id): number | undefined;
  set(id: Id, queries: number): unknown;
}

/** Two numbers of queries fit in one that is exact. */
const base = 2 ** 26;
const threeOrMore = -1;

/** Counts how many queries found each row. It remembers the first two of them, so that a query counts a row once. */
export class CaptureCounts<Id> {
  private readonly queries: QueriesOfRows<Id>;
  private readonly alone = new Map<number, number>();
  /** By the numbers of both queries. */
  private readonly both = new Map<number, number>();
  private found = 0;
  private once = 0;
  private twice = 0;

  constructor(queries: QueriesOfRows<Id> = new Map<Id, number>()) {
    this.queries = queries;
  }

  /** A query found a row. `query` is a whole number from 0 to 67 million. */
  add(id: Id, query: number): void {
    const before = this.queries.get(id);
    if (before === threeOrMore) return;
    const one = query + 1; // 0 stands for none
    if (before === undefined) return this.first(id, one);
    const [first, second] = [before % base, Math.floor(before / base)];
    if (first === one || second === one) return;
    if (second === 0) {
      addTo(this.alone, first, -1);
      this.once -= 1;
      this.count(id, first + one * base, 1);
      return;
    }
    this.count(id, before, -1);
    this.queries.set(id, threeOrMore);
  }

  /** The queries that found a row, two of them at most. undefined: more. */
  queriesOf(id: Id): readonly number[] | undefined {
    const queries = this.queries.get(id) ?? 0;
    if (queries === threeOrMore) return undefined;
    return [queries % base, Math.floor(queries / base)].filter((one) => one > 0).map((one) => one - 1);
  }

  /** Different rows, and those of them that one query found, that two found, and that more found. */
  get frequencies(): { readonly found: number; readonly once: number; readonly twice: number; readonly more: number } {
    return { found: this.found, once: this.once, twice: this.twice, more: this.found - this.once - this.twice };
  }

  /** How many rows there are at least, or why that can't be said. `share`: see `totalBound`. */
  bound(share?: number): TotalBound | NoBound {
    return totalBound(this.captures, share);
  }

  /** How often rows were found. */
  get captures(): Captures {
    const aloneOf = (query: number): number => this.alone.get(query) ?? 0;
    return {
      found: this.found,
      alone: [...this.alone.values()],
      pairs: Array.from(this.both, ([pair, both]) => ({ both, alone: [aloneOf(pair % base), aloneOf(Math.floor(pair / base))] as const })),
    };
  }

  private first(id: Id, one: number): void {
    this.found += 1;
    this.once += 1;
    addTo(this.alone, one, 1);
    this.queries.set(id, one);
  }

  private count(id: Id, pair: number, by: 1 | -1): void {
    const [one, other] = [pair % base, Math.floor(pair / base)];
    addTo(this.both, Math.min(one, other) + Math.max(one, other) * base, by);
    this.twice += by;
    if (by === 1) this.queries.set(id, pair);
  }
}

function addTo(counts: Map<number, number>, key: number, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
