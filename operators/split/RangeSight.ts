import { rowsAhead, type Outlook } from './RangePast.ts';
import type { RowPlaces } from './RowPlaces.ts';

/** What the rows so far tell about a range, by one field that may say where they lie. It is plain data. */
export interface RangeSight {
  readonly path: string;
  /** All rows lie on every so many places, from one of them on: prices that end in .99. */
  readonly every: number;
  readonly from: number;
  /** What full queries returned, where rows are still to be requested. By their last places. */
  readonly samples: readonly RowSample[];
  /** Whether full queries return rows in the order of this field. A number: they do if the next query has so many rows. undefined: not known. */
  readonly isInOrder?: boolean | number | undefined;
}

/** The rows that a full query returned. They are a part of its rows. */
export interface RowSample {
  /** The last place of the query. */
  readonly last: number;
  /** In order. */
  readonly places: readonly number[];
  /** Of so many rows so many were returned, as far as known. */
  readonly rows: number;
  readonly returned: number;
}

/** How many rows are expected, and the variance of this number. */
export interface Expected {
  readonly rows: number;
  readonly variance: number;
}

/** So many fields are followed until it shows which one says where rows lie. */
const candidates = 3;

/** The fields that may say where rows lie, those with the most values first. */
export function sightsOf(found: RowPlaces): readonly RangeSight[] {
  return Object.entries(found)
    .filter(([, places]) => places.length > 0)
    .toSorted(([, one], [, other]) => new Set(other).size - new Set(one).size)
    .slice(0, candidates)
    .map(([path, places]) => onGrid({ path, every: 0, from: places[0]!, samples: [] }, places));
}

/** What the rows of one more query tell. Fields that don't say where these lie are left out. */
export function seeingRows(sights: readonly RangeSight[], found: RowPlaces): readonly RangeSight[] {
  return sights.flatMap((sight) => (sight.path in found ? [onGrid(sight, found[sight.path]!)] : []));
}

/** … and the query was full. `rows`: as many as it has, as far as known, with the standard deviation of this number. */
export function withSample(sight: RangeSight, last: number, found: RowPlaces, rows: number, deviation: number): RangeSight {
  const places = found[sight.path]!.toSorted((one, other) => one - other);
  const samples = sight.samples.map((sample) => {
    const known = countTo(sample.places, last);
    // narrower queries have no more rows than wider ones, and have at least those that they returned
    return known === 0 || known * sample.rows >= places.length * sample.returned
      ? sample
      : { ...sample, rows: (sample.returned * places.length) / known };
  });
  const returned = (1 - places.length / rows) * (rows / deviation) ** 2;
  samples.push({ last, places, rows: (returned * rows) / places.length, returned });
  return { ...sight, samples: samples.toSorted((one, other) => one.last - other.last) };
}

/** The sight from a place on. `rows`: those before it that weren't counted yet. undefined if that isn't known. */
export function sightFrom(sight: RangeSight, first: number, rows: number | undefined): RangeSight {
  const samples = sight.samples
    .filter(({ last }) => last >= first)
    .map((sample) => {
      const known = countTo(sample.places, first - 1);
      const counts = rows === undefined ? {} : { rows: sample.rows + rows, returned: sample.returned + known };
      return { ...sample, ...counts, places: sample.places.slice(known) };
    });
  return { ...sight, samples };
}

/** Whether a query had fewer rows than full queries returned from there. Then the field doesn't say where rows lie. */
export function isRefuted({ samples }: RangeSight, last: number, rows: number): boolean {
  return samples.some(({ places }) => countTo(places, last) > 3 + 1.25 * rows);
}

/** The sight without its grid, after a query with one place of the grid was full. */
export function offGrid(sight: RangeSight): RangeSight {
  return { ...sight, every: 1, from: 0 };
}

/** How many places there may be rows on. */
export function lengthOf(sight: RangeSight | undefined, first: number, last: number): number {
  if (sight === undefined || sight.every < 2) return last - first + 1;
  const { every, from } = sight;
  return (Math.floor((last - from) / every) - Math.floor((first - 1 - from) / every)) * every;
}

/** The last place before the next one that may have rows. */
export function beforeNext(sight: RangeSight | undefined, place: number): number {
  if (sight === undefined || sight.every < 2) return place;
  return (Math.floor((place - sight.from) / sight.every) + 1) * sight.every + sight.from - 1;
}

/** How many rows a query would have: those that full queries returned, and from their shares and the density those that they didn't. */
export function expectedIn(
  sight: RangeSight | undefined,
  outlook: Outlook | undefined,
  weight: number,
  first: number,
  last: number,
): Expected {
  const samples = sight?.samples ?? [];
  const ahead = (place: number): number => (outlook === undefined ? 0 : rowsAhead(outlook, lengthOf(sight, first, place)));
  let [sum, variance, scale] = [0, 0, 0];
  let from = first;
  for (let index = 0; index <= samples.length && from <= last; index++) {
    const to = Math.min(last, samples[index]?.last ?? last);
    if (to < from) continue;
    let [best, known, counted] = [0, 0, Infinity];
    let [told, shares] = [weight * (ahead(to) - ahead(from - 1)), weight];
    for (let behind = index; behind < samples.length; behind++) {
      const { places, rows, returned } = samples[behind]!;
      const share = Math.min(1, returned / rows);
      const own = countTo(places, to) - countTo(places, from - 1);
      told += own;
      shares += share;
      if (share > best) [best, known, counted] = [share, own, returned];
    }
    const unseen = shares > 0 ? ((1 - best) * told) / shares : 0;
    sum += known + unseen;
    if (unseen > 0) {
      variance += unseen + unseen ** 2 / Math.max(leastTold, told);
      // a share that is wrong is wrong everywhere
      scale += (unseen * best) / shares / Math.sqrt(counted * Math.max(leastHidden, 1 - best));
    }
    from = to + 1;
  }
  return { rows: sum, variance: variance + scale ** 2 };
}

/** Where nothing was seen, chance may have hidden a little. */
const leastTold = 0.3;
/** A full query never returned all its rows for sure. */
const leastHidden = 0.02;

function onGrid(sight: RangeSight, places: readonly number[]): RangeSight {
  const every = places.reduce((step, place) => commonStep(step, Math.abs(place - sight.from)), sight.every);
  return { ...sight, every, from: every > 0 ? sight.from % every : sight.from };
}

function commonStep(one: number, other: number): number {
  return other === 0 ? one : commonStep(other, one % other);
}

/** How many of the places, which are in order, don't lie behind this one. */
function countTo(places: readonly number[], place: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}
