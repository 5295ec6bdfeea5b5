import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import type { TileState } from '../split/StageSplit.ts';
import { idsOf } from './events.ts';
import { digestOf, queryKey } from './Query.ts';
import { isFilled, valuesAt, type FieldPath } from '../../../operators/kit/path.ts';

const noIds: ReadonlySet<number> = new Set();

/** The parsed ids of a query's pages. They are parsed only when needed, which is rare. */
const idsRead = new WeakMap<readonly string[], { pages: number; readonly ids: Set<number> }>();

/** What a run has seen: the queries it found, the keys of its rows, and the ids of the rows of queries that may start over. */
export class Dedup {
  /** By `queryDigest`. */
  readonly queries: DigestSet = new DigestSet();
  /** The queries that an update has skipped. If such a query is found again, and what `unless` reads has changed, it is requested. */
  readonly skipped: DigestSet = new DigestSet();
  private readonly keys = new Map<string, DigestSet>();
  /** By query, page by page, as in the journal. */
  private readonly ids = new Map<number, string[]>();

  hasKey(stage: string, key: bigint): boolean {
    return this.keys.get(stage)?.has(key) === true;
  }

  /** Digests of the ids of the rows that an open query has had. */
  idsOf(query: number): ReadonlySet<number> {
    const pages = this.ids.get(query);
    if (pages === undefined) return noIds;
    let read = idsRead.get(pages);
    if (read === undefined) idsRead.set(pages, (read = { pages: 0, ids: new Set() }));
    while (read.pages < pages.length) for (const id of idsOf(pages[read.pages++]!)) read.ids.add(id);
    return read.ids;
  }

  addQuery(stage: FlowStage, params: QueryParams, tile?: TileState | null): void {
    this.queries.add(queryDigest(stage, params, tile));
  }

  addKey(stage: string, key: bigint): void {
    let keys = this.keys.get(stage);
    if (keys === undefined) this.keys.set(stage, (keys = new DigestSet()));
    keys.add(key);
  }

  addIds(query: number, ids: string): void {
    const known = this.ids.get(query);
    if (known === undefined) this.ids.set(query, [ids]);
    else known.push(ids);
  }

  forgetIds(query: number): void {
    this.ids.delete(query);
  }
}

/** Identifies a query among those of a run. The same query over two areas is two. */
export function queryDigest(stage: FlowStage, params: QueryParams, tile?: TileState | null): bigint {
  return digestOf(queryKey(stage, params) + (tile?.area ?? ''));
}

/** Columns that a run adds to each row. */
export const ownColumns: ReadonlySet<string> = new Set(['first_seen', 'last_seen', 'seen_at', '_source']);

/**
 * The identity of a row: a digest of these fields. If none of them has a value, a digest of the whole row as written, so that two rows
 * without an id aren't taken for the same.
 */
export function rowKey(
  { volatile }: Pick<FlowStage, 'volatile'>,
  fields: readonly FieldPath[],
  row: object,
  written: () => object = () => row,
): bigint {
  const values = fields.map(({ path }) => valuesAt(row, path));
  return digestOf(values.some((some) => some.some(isFilled)) ? JSON.stringify(values) : contentOf(written(), volatile));
}

/** A field as text, without the fields inside it that change by themselves (`volatile`). */
export function fieldText(value: unknown, path: string, volatile: ReadonlySet<string>): string | undefined {
  return JSON.stringify(value, function (this: unknown, key, inner: unknown) {
    return this === value && volatile.has(`${path}.${key}`) ? undefined : inner;
  });
}

function contentOf(row: object, volatile: ReadonlySet<string>): string {
  const fields = Object.entries(row).filter(([name]) => !ownColumns.has(name) && !volatile.has(name));
  return JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [name, fieldText(value, name, volatile)])));
}

const minSlots = 64;

/** A set of 64-bit digests that takes 12 to 24 bytes for each, so that millions fit. */
export class DigestSet {
  size = 0;
  protected slots: BigUint64Array = new BigUint64Array(minSlots);

  has(digest: bigint): boolean {
    return this.slots[this.slotOf(digest)] !== 0n;
  }

  *digests(): Generator<bigint, void, undefined> {
    for (const digest of this.slots) if (digest !== 0n) yield digest;
  }

  /** Returns whether it is new. */
  add(digest: bigint): boolean {
    const slot = this.slotOf(digest);
    if (this.slots[slot] !== 0n) return false;
    this.slots[slot] = digest === 0n ? 1n : digest; // 0 marks a slot that is free
    this.size += 1;
    if (this.size > this.slots.length * 0.66) this.grow();
    return true;
  }

  /** Where the digest is, or would be. */
  protected slotOf(digest: bigint): number {
    const sought = digest === 0n ? 1n : digest;
    const slots = this.slots;
    const mask = slots.length - 1;
    let slot = Number(sought & 0xffffffffn) & mask;
    while (slots[slot] !== 0n && slots[slot] !== sought) slot = (slot + 1) & mask;
    return slot;
  }

  protected grow(): void {
    const old = this.slots;
    this.slots = new BigUint64Array(old.length * 2);
    for (const digest of old) if (digest !== 0n) this.slots[this.slotOf(digest)] = digest;
  }
}

/** A number for each 64-bit digest, in 24 to 48 bytes, so that millions fit. */
export class DigestMap extends DigestSet {
  private values = new Float64Array(this.slots.length);

  get(digest: bigint): number | undefined {
    const slot = this.slotOf(digest);
    return this.slots[slot] === 0n ? undefined : this.values[slot];
  }

  set(digest: bigint, value: number): void {
    this.add(digest);
    this.values[this.slotOf(digest)] = value;
  }

  /** In no particular order. */
  *entries(): Generator<readonly [digest: bigint, value: number], void, undefined> {
    for (const [slot, digest] of this.slots.entries()) if (digest !== 0n) yield [digest, this.values[slot]!];
  }

  protected override grow(): void {
    const [slots, values] = [this.slots, this.values];
    super.grow();
    this.values = new Float64Array(this.slots.length);
    for (const [slot, digest] of slots.entries()) if (digest !== 0n) this.values[this.slotOf(digest)] = values[slot]!;
  }
}

/** Two query numbers below this fit into one number without rounding. */
const base = 2 ** 26;
const threeOrMore = -1;

/** Of more rows, only a sample is counted. With a sample of this size, the error is a fraction of a per cent, and it takes at most 4 MB. */
const maxRows = 2 ** 17;

/** With fewer rows that several queries found, the estimate is chance. With a smaller share, the queries look for different things. */
const leastShared = { rows: 10, share: 0.2 };

/** Counts how many queries found each row of a stage, which says how many rows there are at least. */
export class Sightings {
  private found = 0;
  /** The first two queries that found a row, by its digest. */
  private rows = new DigestMap();
  /** Rows with a smaller digest are counted. */
  private below = 2n ** 64n;

  /** A query found rows. Each counts once for it, however often its pages repeat it. */
  add(query: number, rows: { readonly new: readonly bigint[]; readonly seenBefore: readonly bigint[] }): void {
    const one = query + 1; // 0 stands for none
    this.found += rows.new.length;
    for (const row of [...rows.new, ...rows.seenBefore]) {
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
    // pairs of rows of the same query say nothing about what queries share
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
