import { byRange, type Split } from '../../../operators/index.ts';
import type { RangeWorld } from './rangeWorlds.ts';

/** What a search returns: its rows on one page, or pages of a fifth of that with the number of all rows. */
export type RangeService = 'rows' | 'pages and a claim';

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

export interface RangePlay {
  /** How many times the requests of somebody who knows all values it took. */
  readonly ratio: number;
  /** Rows that weren't found, and searches for one value that had more than they can return. */
  readonly missing: number;
  readonly full: number;
}

/** Plays what `splitWhenFull` does with a range, without streams. */
export function playRange(world: RangeWorld, service: RangeService): RangePlay {
  const { cap, places, values } = world;
  const split: Split<Bounds> = byRange({ params: ['min', 'max'], from: 0, to: places - 1 });
  const pages = service === 'pages and a claim' ? 5 : 1;
  const size = Math.ceil(cap / pages);
  const found = new Set<number>();
  let requests = 0;
  let full = 0;
  const queries: { readonly query: Bounds; readonly widerClaim?: number | undefined }[] = [{ query: {} }];
  for (const { query, widerClaim } of queries) {
    const { min = 0, max = places } = query;
    const ids = world.search(min, max);
    const claim = service === 'pages and a claim' ? world.count(min, max) : undefined;
    const isOver = split.isFull!(query, { full: cap, claim, widerClaim, factory: undefined });
    const shown = isOver ? ids.slice(0, size) : ids;
    requests += Math.min(pages, Math.floor(shown.length / size) + (isOver ? 0 : 1));
    for (const id of shown) found.add(id);
    if (!isOver && ids.length < cap) continue;
    const narrower = split(query, { query, rows: shown, pages, full: cap, claim, widerClaim });
    if (narrower.length === 0) full++;
    for (const each of narrower) queries.push({ query: each, widerClaim: claim });
  }
  return { ratio: requests / pages / world.oracle, missing: values.length - found.size, full };
}
