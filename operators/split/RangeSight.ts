import { above } from './above.ts';
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
  /** Rows are known by their ids alone, and the first ones come first, so they are not a sample. */
  readonly isSorted?: true | undefined;
}

/** The rows that a full query returned. They are a part of its rows. */
export interface RowSample {
  /** The last place of the query. */
  readonly last: number;
  /** Where the gap before the first of them begins. */
  readonly from: number;
  /** In order. */
  readonly places: readonly number[];
  /** Their ids, if rows don't say where they lie. Then the places are those that they may have. */
  readonly ids?: readonly number[] | undefined;
  /** Of so many rows so many were returned, as far as known. */
  readonly rows: number;
  readonly returned: number;
  /** The ids of all returned rows, as the service lists them. undefined if that isn't needed. */
  readonly listed?: readonly number[] | undefined;
}

/** How many rows a query has, as far as known, and the standard deviation of this number. */
export interface Size {
  readonly rows: number;
  readonly deviation: number;
}

/** Rows that full queries returned, and as many as they are expected to have besides. */
export interface Sampled {
  readonly known: number;
  readonly unseen: number;
  /** The variance of the rows besides, and what doubt about the shares adds to it. */
  readonly variance: number;
  readonly scale: number;
  readonly covers: boolean;
}

/** The first and the last place of a query. */
type Span = readonly [first: number, last: number];

/** So many fields are followed until it shows which one says where rows lie. */
const candidates = 3;

/** The fields that may say where rows lie, those with the most values first. */
export function sightsOf(found: RowPlaces): readonly RangeSight[] {
  const byPlace = Object.entries(found)
    .filter(([path, places]) => path !== byId && places.length > 0)
    .toSorted(([, one], [, other]) => new Set(other).size - new Set(one).size)
    .slice(0, candidates)
    .map(([path, places]) => onGrid({ path, every: 0, from: places[0]!, samples: [] }, places));
  return [...byPlace, { path: byId, every: 1, from: 0, samples: [] }];
}

/** What the rows of one more query tell. Fields that don't say where these lie are left out. */
export function seeingRows(sights: readonly RangeSight[], span: Span, found: RowPlaces): readonly RangeSight[] {
  return sights.flatMap((sight) => {
    if (sight.path === byId) return [recognising(sortedById(sight, found), span, found)];
    return sight.path in found ? [onGrid(sight, found[sight.path]!)] : [];
  });
}

/** Rows that don't say where they lie are recognised by their ids: those of a full query that a narrower one returns, too, lie in this one. */
function recognising(sight: RangeSight, [first, last]: Span, found: RowPlaces): RangeSight {
  const ids = new Set(found[byId]);
  const end = sight.samples.find((sample) => sample.last > last)?.last;
  if (end === undefined) return sight;
  const samples = sight.samples.map((sample) => {
    if (sample.ids === undefined || sample.ids.length === 0 || sample.last < end) return sample;
    const low = sample.ids.filter((_, index) => sample.places[index]! <= end);
    const rest = sample.ids.slice(low.length);
    const [inside, beyond] = [low.filter((id) => ids.has(id)), low.filter((id) => !ids.has(id))];
    return {
      ...sample,
      ids: [...inside, ...beyond, ...rest],
      places: [...spread(inside.length, first, last), ...spread(beyond.length, last + 1, end), ...sample.places.slice(low.length)],
    };
  });
  return { ...sight, samples };
}

/** A query that isn't full had only the rows that a full one returned first. So the service sorts them, and they are no sample. */
function sortedById(sight: RangeSight, { [byId]: ids = [] }: RowPlaces): RangeSight {
  const isFirst = (sample: RowSample): boolean => sample.ids!.length > ids.length && ids.every((id, index) => id === sample.ids![index]);
  if (ids.length < fewest || !sight.samples.some(isFirst)) return sight;
  return { ...sight, isSorted: true, samples: sight.samples.map((sample) => ({ ...sample, ids: [] })) };
}

/** Fewer rows may be the first by chance. */
const fewest = 8;

/** So many places, evenly from one to another. */
function spread(count: number, first: number, last: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(first + ((index + 0.5) / count) * (last - first + 1)));
}

/** The path of what isn't a place: ids. */
export const byId = '';

/** … and the query was full. `size`: how many rows it has. It may have begun before the first place. */
export function withSample(sight: RangeSight, [first, last]: Span, found: RowPlaces, { rows, deviation }: Size): RangeSight {
  const ids = sight.path !== byId ? undefined : sight.isSorted === true ? [] : found[byId]!;
  const all = ids === undefined ? found[sight.path]!.toSorted((one, other) => one - other) : spread(found[byId]!.length, first, last);
  const places = all.filter((place) => place >= first);
  const samples = sight.samples.map((sample) => afterFull(sample, countTo(sample.places, last), places.length));
  const returned = (1 - all.length / rows) * (rows / deviation) ** 2;
  const listed = ids === undefined && all.length === found[byId]!.length ? found[byId] : undefined;
  samples.push({ last, from: first - 1, places, ids, rows: (returned * rows) / all.length, returned, listed });
  return { ...sight, samples: samples.toSorted((one, other) => one.last - other.last) };
}

/** A full query after a narrower one was full, too, which has so many of its rows: it returned a smaller share of them than expected. */
function afterFull(sample: RowSample, known: number, full: number): RowSample {
  // where rows lie is hardly known with ids only: to lower the share by what is likely took more requests than to trust what is sure
  if (sample.ids !== undefined) {
    return known * sample.rows >= full * sample.returned || known === 0 ? sample : { ...sample, rows: (sample.returned * full) / known };
  }
  const { share, doubt: told } = shareOf(sample);
  if (known === 0 || share === 1) return sample;
  const limit = Math.log((full * share) / known);
  const chance = (1 - share) / known;
  // a greater surprise says that the share was surer than it should have been
  const doubt = Math.max(told, (Math.max(0, limit) / unsurprising) ** 2 - chance);
  const both = doubt + chance;
  const { more, left } = above(limit, both);
  // the surprise is that of the share as far as that was in doubt
  const part = doubt / both;
  const lower = share * Math.exp(-part * more);
  const returned = (1 - lower) / (doubt * (1 - part * (1 - left / both)));
  return { ...sample, returned, rows: returned / lower };
}

/** The share of its rows that a full query returned, and the variance of the logarithm of this share. */
export function shareOf({ rows, returned }: RowSample): { readonly share: number; readonly doubt: number } {
  const share = Math.min(1, returned / rows);
  return { share, doubt: (1 - share) / returned };
}

/** So many standard deviations are believed. */
const unsurprising = 2.5;

/** The sight from a place on. `rows`: those before it that weren't counted yet. undefined if that isn't known. */
export function sightFrom(sight: RangeSight, first: number, rows: number | undefined): RangeSight {
  const samples = sight.samples
    .filter(({ last }) => last >= first)
    .map((sample) => {
      const known = countTo(sample.places, first - 1);
      const counts = rows === undefined ? {} : { rows: sample.rows + rows, returned: sample.returned + known };
      return {
        ...sample,
        ...counts,
        from: known > 0 ? sample.places[known - 1]! : sample.from,
        places: sample.places.slice(known),
        ids: sample.ids?.slice(known),
      };
    });
  return { ...sight, samples };
}

/** The largest share of its rows that a full query returned which has this place. */
export function shareAt({ samples }: RangeSight, place: number): number {
  return samples.reduce((most, sample) => (sample.last < place ? most : Math.max(most, shareOf(sample).share)), 0);
}

/** Whether a query had fewer rows than full queries returned from there. Then the field doesn't say where rows lie. */
export function isRefuted({ path, samples }: RangeSight, last: number, rows: number): boolean {
  return path !== byId && samples.some(({ places }) => countTo(places, last) > 3 + 1.25 * rows);
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

/** How many rows a query would have: those that full queries returned, and those that they didn't, spread evenly over the gaps between them. */
export function sampledIn(samples: readonly RowSample[], first: number, last: number): Sampled {
  let [known, unseen, variance, scale] = [0, 0, 0, 0];
  let from = first;
  for (let index = 0; index < samples.length && from <= last; index++) {
    const end = samples[index]!.last;
    if (end < from) continue;
    const to = Math.min(last, end);
    // a full query returns the first of its rows, so narrower ones return those of wider ones, and more
    const best = samples.slice(index).reduce((one, other) => (other.returned / other.rows > one.returned / one.rows ? other : one));
    const share = Math.min(1, best.returned / best.rows);
    const hidden = (1 - share) / share;
    const gaps = rankOf(best, to) - rankOf(best, from - 1);
    const isById = best.ids !== undefined;
    known += isById ? 0 : countTo(best.places, to) - countTo(best.places, from - 1);
    unseen += isById ? gaps / share : gaps * hidden;
    // by ids only the number of rows up to the end of the sample is known
    const beyond = isById ? Math.max(0, rankOf(best, end) - rankOf(best, to)) / share : 0;
    variance += gaps * hidden ** (isById ? 1 : 2) + ((gaps / share) * beyond) / partsAs;
    // a share that is wrong is wrong everywhere
    scale += (gaps * hidden) / Math.sqrt(best.returned * Math.max(leastHidden, 1 - share));
    from = to + 1;
  }
  return { known, unseen, variance, scale: scale ** 2, covers: from > last };
}

/** A full query never returned all its rows for sure. */
const leastHidden = 0.02;
/** Rows that may lie anywhere between two places are parted like so many rows of which each lies anywhere. */
export const partsAs = 3;

/** How many of the rows lie up to a place, with a part of the gap between two of them. */
function rankOf({ places, last, from }: RowSample, place: number): number {
  const before = countTo(places, place);
  const low = before === 0 ? from : places[before - 1]!;
  const high = before === places.length ? last : places[before]!;
  return before + (high > low ? Math.min(1, (place - low) / (high - low)) : 0);
}

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
