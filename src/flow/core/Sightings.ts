import { DigestMap } from './Dedup.ts';

/** Two numbers of queries fit in one that is exact. */
const base = 2 ** 26;
const threeOrMore = -1;

/** With this many rows, chance is a fraction of a per cent, and they take 4 MB at most. Of more rows a sample is counted. */
const maxRows = 2 ** 17;

/** Fewer rows that several queries found are chance, and a smaller share of them says that the queries look for different things. */
const leastShared = { rows: 10, share: 0.2 };

/** Counts how many queries found each row of a stage, which says how many rows there are at least. */
export class Sightings {
  private found = 0;
  /** The first two queries that found a row, by its digest. */
  private rows = new DigestMap();
  /** Rows with a smaller digest are counted. */
  private below = 2n ** 64n;

  /** A query found rows. Each counts once for it, however often its pages repeat it. */
  add(query: number, rows: { readonly new: readonly bigint[]; readonly again: readonly bigint[] }): void {
    const one = query + 1; // 0 stands for none
    this.found += rows.new.length;
    for (const row of [...rows.new, ...rows.again]) {
      if (row >= this.below) continue;
      const known = this.rows.get(row) ?? 0;
      const [first, second] = [known % base, Math.floor(known / base)];
      if (known === threeOrMore || first === one || second === one) continue;
      this.rows.set(row, first === 0 ? one : second === 0 ? first + one * base : threeOrMore);
    }
    if (this.rows.size > maxRows) this.halve();
  }

  /**
   * How many rows were found, and how many there are at least: Chao's lower bound, from the rows that one query found and those that
   * two found. undefined: too few were found by several queries.
   */
  get estimate(): { readonly found: number; readonly atLeast: number } | undefined {
    const alone = new Map<number, number>();
    let [once, twice] = [0, 0];
    for (const [, queries] of this.rows.entries()) {
      if (queries >= base) twice += 1;
      if (queries < 0 || queries >= base) continue;
      once += 1;
      alone.set(queries, (alone.get(queries) ?? 0) + 1);
    }
    const { found, rows } = this;
    if (rows.size - once < Math.max(leastShared.rows, leastShared.share * rows.size)) return undefined;
    // rows that one query found alone say nothing of what it shares with others
    const own = Array.from(alone.values()).reduce((sum, count) => sum + count ** 2, 0);
    const unseen = (once ** 2 - own) / 2 / (twice + 1);
    return { found, atLeast: Math.round(found * (1 + unseen / rows.size)) };
  }

  private halve(): void {
    const rows = this.rows;
    this.rows = new DigestMap();
    this.below /= 2n;
    for (const [row, queries] of rows.entries()) if (row < this.below) this.rows.set(row, queries);
  }
}
