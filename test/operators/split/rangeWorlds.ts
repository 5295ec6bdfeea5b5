import { seeded } from '../../files/seeded.ts';

/** A search for rows with a price, or with a day, that returns only the first of them. */
export interface RangeWorld {
  /** The price of each row in cents, or its day. Its id is its index. */
  readonly values: readonly number[];
  /** The ids of the first rows of a search from one value to another, both included. */
  search(first: number, last: number, wanted?: (id: number) => boolean): readonly number[];
  /** How many rows such a search has in all. */
  count?(first: number, last: number): number;
  /** How many searches it takes at least, for somebody who knows all values. */
  readonly oracle: number;
}

export const cap = 100;
/** Values are below this. */
export const limit = 50_000;

const normal = (random: () => number): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** How values are distributed. */
export const rangeKinds: { readonly [kind: string]: (random: () => number) => number } = {
  uniform: (random) => random() * limit,
  'heavy tail': (random) => 300 * ((1 - random()) ** (-1 / 1.3) - 1),
  lognormal: (random) => 1500 * Math.exp(normal(random)),
  'whole prices': (random) => 100 * Math.floor((random() * limit) / 100),
  'ties of forty': (random) => 200 * Math.floor(random() * 250),
};

/** Those in which rows that were seen say little of the next ones. */
export const hardKinds: { readonly [kind: string]: (random: () => number) => number } = {
  'one peak': (random) => 25_000 + 6000 * normal(random),
  'two peaks': (random) => (random() < 0.5 ? 8000 + 2000 * normal(random) : 34_000 + 4500 * normal(random)),
  'prices that end in .99': (random) =>
    100 * Math.floor(80 * Math.exp(0.65 * normal(random))) + (random() < 0.7 ? 99 : random() < 0.5 ? 50 : Math.floor(random() * 100)),
  'five clusters': clusters(5, 100),
  'sixty clusters': clusters(60, 20),
};

/** Clusters lie anywhere, the same ones for all rows of a world. */
function clusters(count: number, width: number): (random: () => number) => number {
  const centres = new WeakMap<object, readonly number[]>();
  return (random) => {
    let known = centres.get(random);
    if (known === undefined) centres.set(random, (known = Array.from({ length: count }, () => random() * (limit - 1000))));
    return Math.abs(known[Math.floor(random() * count)]! + width * normal(random));
  };
}

/** Worlds that were made, since several tests look at the same ones. */
const made = new Map<string, RangeWorld>();

export function rangeWorld(kind: string, seed: number, count: number = 10_000): RangeWorld {
  const name = `${kind} ${seed} ${count}`;
  const random = seeded(seed);
  const draw = rangeKinds[kind] ?? hardKinds[kind]!;
  const make = (): RangeWorld =>
    worldOf(
      Array.from({ length: count }, () => Math.max(0, Math.min(limit - 1, Math.floor(draw(random))))),
      random,
    );
  if (!made.has(name)) made.set(name, make());
  return made.get(name)!;
}

/** Rows have one of so many days. */
export const days = 4000;

/** How rows are spread over days: how likely a day is. */
export const dateKinds: { readonly [kind: string]: (random: () => number) => (day: number) => number } = {
  even: () => () => 1,
  'few on weekends': () => (day) => (day % 7 < 2 ? 0.15 : 1),
  'fifty times more at the end': () => (day) => 50 ** (day / days - 1),
  seasons: () => (day) => 0.55 + 0.45 * Math.sin((2 * Math.PI * day) / 365.25),
  'forty bursts': (random) => {
    const starts = Array.from({ length: 40 }, () => random() * days);
    return (day) => Math.min(1, 0.025 + starts.reduce((sum, at) => sum + (day < at ? 0 : Math.exp((at - day) / 6)), 0) / 2);
  },
};

export function dateWorld(kind: string, seed: number): RangeWorld {
  const random = seeded(seed);
  const weight = dateKinds[kind]!(random);
  const values: number[] = [];
  while (values.length < 10_000) {
    const day = Math.floor(random() * days);
    if (random() < weight(day)) values.push(day);
  }
  return worldOf(values, random);
}

function worldOf(values: readonly number[], random: () => number): RangeWorld {
  const order = values.map((value, id) => ({ value, id, rank: random() })).toSorted((one, other) => one.value - other.value);
  const byRank = order.toSorted((one, other) => one.rank - other.rank);
  return {
    values,
    search(first, last, wanted = () => true) {
      const [from, to] = [lowest(order, first), lowest(order, last + 1)];
      if (to - from < order.length / 10) {
        const found = order.slice(from, to).filter(({ id }) => wanted(id));
        return found.sort((one, other) => one.rank - other.rank).slice(0, cap).map(({ id }) => id); // prettier-ignore
      }
      const ids: number[] = [];
      for (const { value, id } of byRank) {
        if (value >= first && value <= last && wanted(id)) ids.push(id);
        if (ids.length === cap) break;
      }
      return ids;
    },
    count: (first, last) => lowest(order, last + 1) - lowest(order, first),
    oracle: oracleOf(order.map(({ value }) => value)),
  };
}

function lowest(order: readonly { readonly value: number }[], value: number): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order[middle]!.value < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Searches that take as many values as aren't full, from the lowest on. */
function oracleOf(values: readonly number[]): number {
  let searches = 0;
  for (let from = 0; from < values.length; searches++) {
    let to = from;
    for (let next = to; next < values.length && (next - from < cap || to === from);) {
      to = next;
      while (next < values.length && values[next] === values[to]) next++;
      if (next - from >= cap && to > from) break;
      to = next;
    }
    from = to;
  }
  return searches;
}
