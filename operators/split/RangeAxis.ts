import { ownValue } from '../kit/ownValue.ts';

/** A range whose bounds are two parameters. Its values have indexes: whole numbers from 0 on. */
export interface RangeAxis {
  /** The parameters of the lower and of the upper bound. */
  readonly params: readonly [first: string, last: string];
  /** The index of the last value. */
  readonly last: number;
  /**
   * The width of a piece is a multiple of one of these: of the largest that isn't wider than the piece. The largest stands first, so days
   * come before hours. A query that is refused is halved down to the first of them.
   * @default any width
   */
  readonly grains?: readonly number[] | undefined;
  /** The service takes no query without both bounds, and none for more than `most` values. */
  readonly bounds?: { readonly most: number | undefined } | undefined;
  /** The index of a query's own lower or upper bound. undefined: it isn't a value of the range. */
  readonly indexOf: (value: unknown, bound: 'first' | 'last') => number | undefined;
  /** The bound of a query that begins or ends with the value at this index, which is included. */
  readonly valueOf: (index: number, bound: 'first' | 'last') => string | number;
  /** For a range of times: the index of a moment, in milliseconds since 1970. */
  readonly indexAt?: (time: number) => number;
}

/** From one index to another, both included. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** What is known of the number of rows of a query. */
export interface RangeRows {
  /** The number of rows at which it is full. */
  readonly full: number;
  /** The number of rows that the service claims for this query, and for the wider one that it is a piece of. */
  readonly claim?: number | undefined;
  readonly widerClaim?: number | undefined;
}

/** A full query is cut into this many pieces if the service doesn't claim a number of rows. */
const usualPieces = 4;
/** With a claim, there are as many pieces as needed for each to be this full. */
const targetFill = 0.75;
/** The limit of pieces, as a claim may be wrong. */
const mostPieces = 32;
/** A claim for a piece is believed up to this share of the claim for the whole: the service may claim the same number for every query. */
const believedShare = 0.95;

/**
 * The queries that are sent instead of one without bounds, if the service takes none. Each has both bounds, and no more values than the
 * service takes. None if nothing lies between the bounds of the query. `from`: only from this index on.
 */
export function boundedRanges<Query extends object>(axis: RangeAxis, query: Query, from: number = 0): readonly Query[] {
  const whole = spanOf(axis, query);
  if (whole === undefined) return [];
  const { last } = whole;
  const first = Math.max(whole.first, Math.min(from, axis.last));
  if (first > last) return [];
  const most = axis.bounds?.most ?? Infinity;
  return cut(axis, { first, last }, Math.max(1, Math.ceil((last - first + 1) / most))).map((piece) =>
    bounded(axis, query, { piece, whole, isClosed: true }),
  );
}

/** The pieces of a full query. None if it is a single value, or lies beyond the range. */
export function narrowerRanges<Query extends object>(axis: RangeAxis, query: Query, rows: RangeRows): readonly Query[] {
  const { full, claim } = rows;
  const pieces = isBelieved(rows) && claim! > full ? Math.min(mostPieces, Math.ceil(claim! / (targetFill * full))) : usualPieces;
  return cutRanges(axis, query, pieces);
}

/** The halves of a query that was refused as too large. None if it is a single value, or the service takes queries without bounds. */
export function halvedRanges<Query extends object>(axis: RangeAxis, query: Query): readonly Query[] {
  const whole = axis.bounds && spanOf(axis, query);
  return whole === undefined || whole.last - whole.first < (axis.grains?.[0] ?? 1) ? [] : cutRanges(axis, query, 2);
}

/** Whether a piece is full by what the service claims, before all of its pages were requested. */
export function isFullRange(axis: RangeAxis, query: object, rows: RangeRows): boolean {
  if (rows.widerClaim === undefined || !isBelieved(rows) || rows.claim! < rows.full) return false;
  const { first, last } = spanOf(axis, query)!;
  return first < last;
}

function isBelieved({ claim, widerClaim = Infinity }: RangeRows): boolean {
  return claim !== undefined && claim < believedShare * widerClaim;
}

function cutRanges<Query extends object>(axis: RangeAxis, query: Query, pieces: number): readonly Query[] {
  const whole = spanOf(axis, query);
  if (whole === undefined || whole.first > whole.last) return [];
  if (whole.first === whole.last) return closed(axis, query, whole);
  return cut(axis, whole, pieces).map((piece) => bounded(axis, query, { piece, whole, isClosed: axis.bounds !== undefined }));
}

/** Cuts a span into at most this many equal parts. */
function cut({ grains = [] }: RangeAxis, { first, last }: Span, parts: number): readonly Span[] {
  const least = Math.ceil((last - first + 1) / parts);
  const grain = grains.find((one) => one <= least) ?? 1;
  const width = Math.ceil(least / grain) * grain;
  return Array.from({ length: Math.ceil((last - first + 1) / width) }, (_, part) => {
    const start = first + part * width;
    return { first: start, last: Math.min(last, start + width - 1) };
  });
}

/**
 * For a single value. If its query lacks a bound, it also finds rows beyond the range. Then there is one query for the value, with both
 * bounds, and one for what lies beyond on each open side. If one of these is full, that is reported.
 */
function closed<Query extends object>(axis: RangeAxis, query: Query, whole: Span): readonly Query[] {
  const { params, valueOf } = axis;
  const [isOpenBelow, isOpenAbove] = params.map((param) => ownValue(query, param) === undefined);
  if (!isOpenBelow && !isOpenAbove) return [];
  const below = { ...query, [params[1]]: valueOf(whole.first - 1, 'last') };
  const above = { ...query, [params[0]]: valueOf(whole.last + 1, 'first') };
  return [bounded(axis, query, { piece: whole, whole, isClosed: true }), ...(isOpenBelow ? [below] : []), ...(isOpenAbove ? [above] : [])];
}

/** A query for a piece of its range. At the ends of the range it keeps its own bounds. `isClosed`: it gets both bounds. */
function bounded<Query extends object>(
  { params, valueOf }: RangeAxis,
  query: Query,
  { piece, whole, isClosed }: { readonly piece: Span; readonly whole: Span; readonly isClosed: boolean },
): Query {
  const bounds: { [param: string]: string | number } = {};
  for (const [index, end] of (['first', 'last'] as const).entries()) {
    const param = params[index]!;
    const isOwn = piece[end] === whole[end] && (!isClosed || ownValue(query, param) !== undefined);
    if (!isOwn) bounds[param] = valueOf(piece[end], end);
  }
  return { ...query, ...bounds };
}

/** From a query's own lower bound to its upper one, else to the ends of the range. undefined: a bound isn't a value of the range. */
function spanOf(axis: RangeAxis, query: object): Span | undefined {
  const [below, above] = axis.params.map((param) => ownValue(query, param));
  const first = below === undefined ? 0 : axis.indexOf(below, 'first');
  const last = above === undefined ? axis.last : axis.indexOf(above, 'last');
  return first === undefined || last === undefined ? undefined : { first, last };
}
