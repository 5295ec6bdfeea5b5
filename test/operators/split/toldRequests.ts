import type { RangeWorld } from './rangeWorlds.ts';

/**
 * How many requests it takes somebody who knows how likely each value is, and the cap, but no row. They too have to request, and know that
 * they have all rows of a piece only if it isn't full. How wide each piece should be is solved from the upper end of the range on: chance
 * gives a piece more or fewer rows than expected (a Poisson distribution), a wide one is full more often and costs a narrower one, and
 * many narrow ones cost requests.
 */
export function toldRequests({ cap, places, values, count, draw }: RangeWorld): number {
  const before = expectedBefore(places, values.length, draw);
  const chances = chancesOf(cap);
  // Values that together have less than a row stay in one piece.
  const starts: number[] = [];
  for (let place = 0; place < places; place++) {
    if (starts.length === 0 || before[place + 1]! - before[starts.at(-1)!]! > 1) starts.push(place);
  }
  const at = [...starts, places];
  const within = (from: number, to: number): number => before[at[to]!]! - before[at[from]!]!;
  /** The end of the widest piece in which so many rows are expected. At least one value. */
  const endWith = (from: number, rows: number): number => {
    let [low, high] = [from + 1, at.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (within(from, middle) <= rows) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const narrower = (from: number, end: number): number => endWith(from, Math.min(end - 1, chances.narrower(within(from, end))));
  const cost = new Float64Array(at.length);
  const best = new Int32Array(at.length);
  /** The requests from a full piece on. */
  const afterFull = (from: number, end: number, depth = 0): number => {
    if (end === from + 1) return cost[end]!;
    const next = narrower(from, end);
    const fits = depth > 2 ? 1 : chances.fitsWithin(within(from, next), within(from, end));
    return 1 + fits * cost[next]! + (fits === 1 ? 0 : (1 - fits) * afterFull(from, next, depth + 1));
  };
  for (let from = at.length - 2; from >= 0; from--) {
    cost[from] = Infinity;
    for (let rows = 0.6 * cap, end = 0; rows < 1.1 * cap && end < at.length - 1; rows += 0.02 * cap) {
      const wider = endWith(from, rows);
      if (wider === end) continue;
      end = wider;
      const fills = end === from + 1 ? 0 : chances.fills(within(from, end));
      const requests = 1 + (1 - fills) * cost[end]! + (fills < 1e-4 ? 0 : fills * afterFull(from, end));
      if (requests < cost[from]!) [cost[from], best[from]] = [requests, end];
    }
  }
  let requests = 0;
  for (let from = 0; from < at.length - 1;) {
    let end = best[from]!;
    for (requests++; count(at[from]!, at[end]! - 1) >= cap && end > from + 1; requests++) end = narrower(from, end);
    from = end;
  }
  return requests;
}

/** How many rows are expected before each place. */
function expectedBefore(places: number, rows: number, draw: () => number): Float64Array {
  const draws = 60 * rows;
  const before = new Float64Array(places + 1);
  for (let drawn = 0; drawn < draws; drawn++) before[draw() + 1]! += rows / draws;
  for (let place = 0; place < places; place++) before[place + 1]! += before[place]!;
  return before;
}

interface Chances {
  /** The chance that a piece with so many expected rows is full. */
  readonly fills: (expected: number) => number;
  /** The chance that a piece isn't full which is part of a full one. */
  readonly fitsWithin: (expected: number, wider: number) => number;
  /** How many rows should be expected in what is requested instead of a full piece. */
  readonly narrower: (wider: number) => number;
}

function chancesOf(cap: number): Chances {
  const kept = new Map<number, number>();
  const remembered = (key: number, compute: () => number): number => {
    let value = kept.get(key);
    if (value === undefined) kept.set(key, (value = compute()));
    return value;
  };
  const half = (rows: number): number => Math.min(6 * cap, Math.round(2 * rows));
  /** The chances that there are 0, 1, … rows, below the cap. */
  const poisson = (expected: number): number[] => {
    const chances = [Math.exp(-expected)];
    for (let rows = 1; rows < cap; rows++) chances.push((chances[rows - 1]! * expected) / rows);
    return chances;
  };
  const below = (expected: number): number => poisson(expected).reduce((sum, chance) => sum + chance, 0);
  const fills = (expected: number): number => remembered(half(expected), () => Math.max(1e-12, 1 - below(half(expected) / 2)));
  const fitsWithin = (expected: number, wider: number): number =>
    remembered(1e6 * half(expected) + half(wider) + 1e4, () => {
      // those in the narrower piece and those in the rest aren't full together
      const [one, other] = [poisson(half(expected) / 2), poisson(Math.max(0, half(wider) - half(expected)) / 2)];
      let [fits, rest] = [0, 0];
      for (let rows = cap - 1; rows >= 0; rows--) {
        rest += other[cap - 1 - rows]!;
        fits += one[rows]! * (1 - rest);
      }
      return Math.min(1, Math.max(0, fits / fills(wider)));
    });
  const narrower = (wider: number): number =>
    remembered(-1 - half(wider), () => {
      let [best, most] = [0, -1];
      for (let expected = 0.3 * cap; expected < wider; expected++) {
        const brought = expected * fitsWithin(expected, wider);
        if (brought > most) [most, best] = [brought, expected];
      }
      return best;
    });
  return { fills, fitsWithin, narrower };
}
