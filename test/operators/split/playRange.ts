import { byRange, type Split } from '../../../operators/index.ts';
import type { RangeWorld } from './rangeWorlds.ts';

/** What a search returns: its rows on one page, or pages of a fifth of that with the number of all rows. */
export type RangeService = 'values' | 'ids' | 'pages and a claim';

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
  const queries: Bounds[] = [{}];
  for (const query of queries) {
    const { min = 0, max = places } = query;
    const ids = world.search(min, max);
    const claim = service === 'pages and a claim' ? world.count(min, max) : undefined;
    const isOver = claim !== undefined && split.isFull!(query, claim);
    const shown = isOver ? ids.slice(0, size) : ids;
    requests += Math.min(pages, Math.floor(shown.length / size) + (isOver ? 0 : 1));
    for (const id of shown) found.add(id);
    const rows = shown.map((id) => (service === 'ids' ? { id } : { id, price: values[id], stars: (id % 9) / 2 }));
    const walked = { query, rows, pages, claim, ids: shown };
    const narrower = isOver || ids.length >= cap ? split(query, walked) : undefined;
    if (narrower?.length === 0) full++;
    queries.push(...(narrower === undefined || narrower.length === 0 ? split.after!(query, walked) : narrower));
  }
  return { ratio: requests / pages / world.oracle, missing: values.length - found.size, full };
}
