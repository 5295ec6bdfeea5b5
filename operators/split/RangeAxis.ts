import { ownValue } from '../kit/ownValue.ts';

/** The values of two parameters that bound a range, as whole numbers from 0 on. */
export interface RangeAxis {
  /** The parameters of the lower and of the upper bound. */
  readonly params: readonly [first: string, last: string];
  /** The place of the last value. */
  readonly last: number;
  /** The service takes no query without both bounds, and none for more places than `most`. */
  readonly bounds?: { readonly most: number | undefined } | undefined;
  /** The place of a value that a query has already, as its lower or its upper bound. undefined if it is none. */
  readonly placeOf: (value: unknown, bound: 'first' | 'last') => number | undefined;
  /** The lower and the upper bound of a query for these places, both included. */
  readonly valueOf: (place: number, bound: 'first' | 'last') => string | number;
  /** The place of a moment, in milliseconds since 1970, if it is a range of times. */
  readonly placeAt?: (time: number) => number;
}

interface Places {
  readonly first: number;
  readonly last: number;
}

/** How many rows a query for a range has. */
export interface RangeRows {
  /** The number of rows at which it is full. */
  readonly full: number;
  /** How many there are, as the service says, and how many it said of the query that this one is a piece of. */
  readonly claim?: number | undefined;
  readonly widerClaim?: number | undefined;
}

/** A full query becomes so many pieces, if the service doesn't say how many rows it has. */
const usualPieces = 4;
/** … and if it does, each piece is to have this share of the rows that fill it, but a claim may also be wrong. */
const aim = 0.75;
const mostPieces = 32;
/** A claim that says nearly the same of a piece as of the whole doesn't count, because it may say it of all. */
const narrowed = 0.95;

/**
 * What a query is requested as at first, if the service takes none without bounds: none is for more places than it takes. None if nothing
 * lies between its bounds. `from`: only from this place on.
 */
export function boundedRanges<Query extends object>(axis: RangeAxis, query: Query, from: number = 0): readonly Query[] {
  const whole = placesOf(axis, query);
  if (whole === undefined) return [];
  const { last } = whole;
  const first = Math.max(whole.first, Math.min(from, axis.last));
  if (first > last) return [];
  const most = axis.bounds?.most ?? Infinity;
  return cut({ first, last }, Math.max(1, Math.ceil((last - first + 1) / most))).map((piece) =>
    bounded(axis, query, { piece, whole, isClosed: true }),
  );
}

/** The pieces of a full query. None if it is a single value, or lies beyond the range. */
export function narrowerRanges<Query extends object>(axis: RangeAxis, query: Query, rows: RangeRows): readonly Query[] {
  const { full, claim } = rows;
  const pieces = isBelieved(rows) && claim! > full ? Math.min(mostPieces, Math.ceil(claim! / (aim * full))) : usualPieces;
  return cutRanges(axis, query, pieces);
}

/** The halves of a query that was refused as too large. None if it is a single value, or the service takes queries without bounds. */
export function halvedRanges<Query extends object>(axis: RangeAxis, query: Query): readonly Query[] {
  return axis.bounds === undefined ? [] : cutRanges(axis, query, 2);
}

/** Whether a piece is full by what the service claims, before all of its pages were requested. */
export function isFullRange(axis: RangeAxis, query: object, rows: RangeRows): boolean {
  if (rows.widerClaim === undefined || !isBelieved(rows) || rows.claim! < rows.full) return false;
  const { first, last } = placesOf(axis, query)!;
  return first < last;
}

function isBelieved({ claim, widerClaim = Infinity }: RangeRows): boolean {
  return claim !== undefined && claim < narrowed * widerClaim;
}

function cutRanges<Query extends object>(axis: RangeAxis, query: Query, pieces: number): readonly Query[] {
  const whole = placesOf(axis, query);
  if (whole === undefined || whole.first > whole.last) return [];
  if (whole.first === whole.last) return closed(axis, query, whole);
  return cut(whole, pieces).map((piece) => bounded(axis, query, { piece, whole, isClosed: axis.bounds !== undefined }));
}

/** Equal parts, as many as there may be. */
function cut({ first, last }: Places, parts: number): readonly Places[] {
  const width = Math.ceil((last - first + 1) / parts);
  return Array.from({ length: Math.ceil((last - first + 1) / width) }, (_, part) => {
    const start = first + part * width;
    return { first: start, last: Math.min(last, start + width - 1) };
  });
}

/**
 * A single value whose query is open finds rows beyond the range, too. It is requested with its exact bounds, and what lies beyond by
 * itself, so that it is reported if it is full.
 */
function closed<Query extends object>(axis: RangeAxis, query: Query, whole: Places): readonly Query[] {
  const { params, valueOf } = axis;
  const [isOpenBelow, isOpenAbove] = params.map((param) => ownValue(query, param) === undefined);
  if (!isOpenBelow && !isOpenAbove) return [];
  const below = { ...query, [params[1]]: valueOf(whole.first - 1, 'last') };
  const above = { ...query, [params[0]]: valueOf(whole.last + 1, 'first') };
  return [bounded(axis, query, { piece: whole, whole, isClosed: true }), ...(isOpenBelow ? [below] : []), ...(isOpenAbove ? [above] : [])];
}

/** A query for a piece of its range. At the ends it keeps its own bounds. `isClosed`: it has both bounds in any case. */
function bounded<Query extends object>(
  { params, valueOf }: RangeAxis,
  query: Query,
  { piece, whole, isClosed }: { readonly piece: Places; readonly whole: Places; readonly isClosed: boolean },
): Query {
  const bounds: { [param: string]: string | number } = {};
  for (const [index, end] of (['first', 'last'] as const).entries()) {
    const param = params[index]!;
    const isOwn = piece[end] === whole[end] && (!isClosed || ownValue(query, param) !== undefined);
    if (!isOwn) bounds[param] = valueOf(piece[end], end);
  }
  return { ...query, ...bounds };
}

/** The places of a query's own bounds, else the ends of the axis. undefined: it has a bound that is no place. */
function placesOf(axis: RangeAxis, query: object): Places | undefined {
  const [below, above] = axis.params.map((param) => ownValue(query, param));
  const first = below === undefined ? 0 : axis.placeOf(below, 'first');
  const last = above === undefined ? axis.last : axis.placeOf(above, 'last');
  return first === undefined || last === undefined ? undefined : { first, last };
}
