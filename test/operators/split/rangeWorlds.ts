import { seeded } from '../../files/seeded.ts';

/** A search for rows with a price or a day, which returns only the first of them. */
export interface RangeWorld {
  /** The price of each row in cents, or its day. Its id is its index. */
  readonly values: readonly number[];
  /** Values are below this. */
  readonly places: number;
  /** So many rows are returned. */
  readonly cap: number;
  /** The ids of the first rows of a search from one value to another, both included. */
  readonly search: (first: number, last: number, wanted?: (id: number) => boolean) => readonly number[];
  /** How many rows such a search has in all. */
  readonly count: (first: number, last: number) => number;
  /** How many searches it takes at least, for somebody who knows all values. */
  readonly oracle: number;
  /** Draws the value of one more row. */
  readonly draw: () => number;
}

interface RangeKind {
  readonly places: number;
  /** Makes a function that draws the value of a row. */
  readonly values: (random: () => number) => () => number;
}

export interface RangeWorldOptions {
  /** @default 10,000 */
  readonly rows?: number;
  /** @default 100 */
  readonly cap?: number;
  /** How a search sorts its rows. @default 'any' */
  readonly order?: 'any' | 'rising' | 'falling' | undefined;
}

/** Cents of prices, and days. */
const [cents, days] = [50_000, 4000];

const normal = (random: () => number): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const prices = (value: (random: () => number) => number): RangeKind => ({ places: cents, values: (random) => () => value(random) });

/** Rows lie around so many centres, which may be anywhere. */
function clusters(count: number, value: (centre: number, random: () => number) => number): RangeKind {
  return {
    places: cents,
    values(random) {
      const centres = Array.from({ length: count }, () => random() * (cents - 1000));
      return () => value(centres[Math.floor(random() * count)]!, random);
    },
  };
}

/** How likely a value is, by numbers of any size. */
function weighted(places: number, weights: (random: () => number) => (place: number) => number): RangeKind {
  return {
    places,
    values(random) {
      const weight = weights(random);
      let total = 0;
      const sums = Array.from({ length: places }, (_, place) => (total += weight(place)));
      return () => lowest(sums, random() * total);
    },
  };
}

/** Rows at round numbers: of the first share at multiples of one, of the second at multiples of the other. */
const rounded = (value: number, random: () => number, fifties: number, tens: number): number => {
  const draw = random();
  const step = draw < fifties ? 50 : draw < fifties + tens ? 10 : 1;
  return step * Math.round(value / step);
};

/** How values are spread. */
export const rangeKinds = {
  even: prices((random) => random() * cents),
  growing: prices((random) => Math.sqrt(random()) * cents),
  exponential: prices((random) => -4000 * Math.log(1 - random())),
  'heavy tail': prices((random) => 300 * ((1 - random()) ** (-1 / 1.3) - 1)),
  lognormal: prices((random) => 1500 * Math.exp(normal(random))),
  'one peak': prices((random) => 25_000 + 6000 * normal(random)),
  'two peaks': prices((random) => (random() < 0.5 ? 8000 + 2000 * normal(random) : 34_000 + 4500 * normal(random))),
  'whole prices': prices((random) => 100 * Math.floor((random() * cents) / 100)),
  'forty rows of each price': prices((random) => 200 * Math.floor(random() * 250)),
  'most end in .99': prices(
    (random) =>
      100 * Math.floor(80 * Math.exp(0.65 * normal(random))) + (random() < 0.7 ? 99 : random() < 0.5 ? 50 : Math.floor(random() * 100)),
  ),
  'rents, a quarter of them round': prices((random) => 10 * rounded(900 * Math.exp(0.4 * normal(random)), random, 0.06, 0.2)),
  'five clusters of 2,000 rows': clusters(5, (centre, random) => centre + 100 * normal(random)),
  'sixty clusters of 170 rows': clusters(60, (centre, random) => centre + 20 * normal(random)),
  'two hundred prices and their neighbours': clusters(
    200,
    (centre, random) => centre + (random() < 0.5 ? 0 : 1 + Math.floor(random() * 3)),
  ),
  'days, even': weighted(days, () => () => 1),
  'days, few on weekends': weighted(days, () => (day) => (day % 7 < 2 ? 0.15 : 1)),
  'days, fifty times more at the end': weighted(days, () => (day) => 50 ** (day / days - 1)),
  'days, ten times more in summer': weighted(days, () => (day) => 0.55 + 0.45 * Math.sin((2 * Math.PI * day) / 365.25)),
  'days, half in forty bursts': weighted(days, (random) => {
    const starts = Array.from({ length: 40 }, () => random() * days);
    return (day) => Math.min(1, 0.025 + starts.reduce((sum, at) => sum + (day < at ? 0 : Math.exp((at - day) / 6)), 0) / 2);
  }),
} satisfies { readonly [kind: string]: RangeKind };

/** Kinds that were looked at only after splitting was done. */
export const heldOutKinds = {
  triangle: prices((random) => ((random() + random()) * cents) / 2),
  stairs: prices((random) => {
    const draw = random();
    return 2500 * (draw < 0.5 ? random() : draw < 0.8 ? 1 + 2 * random() : draw < 0.95 ? 3 + 5 * random() : 8 + 12 * random());
  }),
  'as many from 10 to 50 as from 50 to 250': prices((random) => 1000 * 50 ** random()),
  'one peak with wide tails': prices((random) => 20_000 + 800 * Math.tan(Math.PI * (random() - 0.5))),
  'saw teeth': weighted(cents, () => (place) => (place % 5000) / 5000 + 0.02),
  'a random walk': weighted(cents, (random) => {
    let level = 0;
    const weights = Array.from({ length: 500 }, () => Math.exp((level += 0.25 * normal(random))));
    return (place) => weights[Math.floor(place / 100)]!;
  }),
  'salaries, three in five of them round': prices((random) => 10 * rounded(2500 * Math.exp(0.4 * normal(random)), random, 0.2, 0.4)),
  'twenty clusters of 500 rows': clusters(20, (centre, random) => centre + 300 * normal(random)),
  'days, seven times more in December': weighted(
    days,
    () => (day) => 1 + (day % 365 > 330 ? 6 : 0) + (Math.abs((day % 365) - 190) < 10 ? 3 : 0),
  ),
  'days, twelve waves of news': weighted(days, (random) => {
    const waves = Array.from({ length: 12 }, () => [random() * days, 10 + 60 * random()] as const);
    return (day) => 0.3 + waves.reduce((sum, [at, width]) => sum + (day < at ? 0 : 4 * Math.exp((at - day) / width)), 0);
  }),
  'days, stop and go': weighted(days, (random) => {
    const weights: number[] = [];
    for (let isOn = true; weights.length < days; isOn = !isOn) {
      weights.push(...Array<number>(Math.floor(20 + 150 * random())).fill(isOn ? 0.5 + random() : 0.02));
    }
    return (day) => weights[day]!;
  }),
} satisfies { readonly [kind: string]: RangeKind };

export type RangeKindName = keyof typeof rangeKinds | keyof typeof heldOutKinds;

export function rangeWorld(kind: RangeKindName, seed: number, options: RangeWorldOptions = {}): RangeWorld {
  const { places, values: drawing }: RangeKind = { ...rangeKinds, ...heldOutKinds }[kind];
  const { rows = 10_000, cap = 100, order = 'any' } = options;
  const random = seeded(seed);
  const drawn = drawing(random);
  const draw = (): number => Math.floor(Math.abs(drawn())) % places;
  const values = Array.from({ length: rows }, draw);
  const rankOf = (value: number): number => (order === 'any' ? random() : order === 'rising' ? value : -value);
  const sorted = values.map((value, id) => ({ value, id, rank: rankOf(value) })).toSorted((one, other) => one.value - other.value);
  const byRank = sorted.toSorted((one, other) => one.rank - other.rank);
  const sortedValues = sorted.map(({ value }) => value);
  return {
    values,
    places,
    cap,
    search(first, last, wanted = () => true) {
      const [from, to] = [lowest(sortedValues, first), lowest(sortedValues, last + 1)];
      if (to - from < rows / 10) {
        const found = sorted.slice(from, to).filter(({ id }) => wanted(id));
        return found.sort((one, other) => one.rank - other.rank).slice(0, cap).map(({ id }) => id); // prettier-ignore
      }
      const ids: number[] = [];
      for (const { value, id } of byRank) {
        if (value >= first && value <= last && wanted(id)) ids.push(id);
        if (ids.length === cap) break;
      }
      return ids;
    },
    count: (first, last) => lowest(sortedValues, last + 1) - lowest(sortedValues, first),
    oracle: oracleOf(sortedValues, cap),
    draw,
  };
}

/** The first index whose value isn't below this one. */
function lowest(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Searches that take as many values as aren't full, from the lowest on. */
function oracleOf(values: readonly number[], cap: number): number {
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
