import { ownValue } from '../kit/ownValue.ts';
import { halvesOf, narrowerPiece, nextPiece, type RangePiece } from './RangeSweep.ts';

/** The values of two parameters that bound a range, as whole numbers from 0 on. */
export interface RangeAxis {
  /** The parameters of the lower and of the upper bound. */
  readonly params: readonly [first: string, last: string];
  /** The place of the last value. */
  readonly last: number;
  /** The place of a value that a query has already, as its lower or its upper bound. undefined if it is none. */
  readonly placeOf: (value: unknown, bound: 'first' | 'last') => number | undefined;
  /** The lower and the upper bound of a query for these places, both included. */
  readonly valueOf: (place: number, bound: 'first' | 'last') => string | number;
}

/** A query for a piece of a range. */
export interface RangeQuery<Query> {
  readonly query: Query;
  readonly piece: RangePiece;
}

/** What a full query is split into. `piece`: undefined if it isn't a piece yet. `rows`: as many as it has. */
export function narrowerRanges<Query extends object>(
  axis: RangeAxis,
  query: Query,
  piece: RangePiece | undefined,
  rows: number,
): readonly RangeQuery<Query>[] {
  if (piece !== undefined) return [narrowerPiece(piece)].flatMap((one) => (one === undefined ? [] : [rangeQuery(axis, query, one)]));
  const [below, above] = axis.params.map((param) => ownValue(query, param));
  const first = below === undefined ? 0 : axis.placeOf(below, 'first');
  const last = above === undefined ? axis.last : axis.placeOf(above, 'last');
  if (first === undefined || last === undefined) return [];
  const open = [below === undefined, above === undefined] as const;
  return halvesOf({ first, last, full: rows, open }).map((one) => rangeQuery(axis, query, one));
}

/** What follows a piece that ended with so many rows, if anything does. */
export function nextRange<Query extends object>(
  axis: RangeAxis,
  query: Query,
  piece: RangePiece,
  rows: number | undefined,
): readonly RangeQuery<Query>[] {
  const next = nextPiece(piece, rows);
  return next === undefined ? [] : [rangeQuery(axis, query, next)];
}

function rangeQuery<Query extends object>(
  { params: [first, last], last: most, valueOf }: RangeAxis,
  query: Query,
  piece: RangePiece,
): RangeQuery<Query> {
  const bounds: { [param: string]: string | number } = {};
  // Rows beyond the ends of the range stay in its outermost pieces.
  if (piece.first > 0 || !piece.open[0]) bounds[first] = valueOf(piece.first, 'first');
  if (piece.last < most || !piece.open[1]) bounds[last] = valueOf(piece.last, 'last');
  const others = Object.entries(query).filter(([param]) => param !== first && param !== last);
  return { query: { ...Object.fromEntries(others), ...bounds } as Query, piece };
}
