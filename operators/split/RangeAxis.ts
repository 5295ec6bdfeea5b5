import { ownValue } from '../kit/ownValue.ts';
import { isClaimedFull, narrowerPiece, nextPiece, partsOf, type PieceRows, type RangePiece } from './RangeSweep.ts';
import { placesOf, type RowPlaces } from './RowPlaces.ts';

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
  /** The place of a row with such a value. undefined if it is none. */
  readonly rowAt: (value: unknown) => number | undefined;
}

/** A query for a piece of a range. */
export interface RangeQuery<Query> {
  readonly query: Query;
  readonly piece: RangePiece;
}

/** Where the rows of a query lie, by the fields that may say it. `piece`: undefined if it isn't a piece yet. */
export function rowPlaces(axis: RangeAxis, piece: RangePiece | undefined, rows: readonly unknown[]): RowPlaces {
  if (piece === undefined) return placesOf(rows, axis.rowAt, { first: 0, last: axis.last });
  const { sights, open } = piece;
  // rows beyond the ends of the range are in its outermost pieces
  const first = piece.first === 0 && open[0] ? -Infinity : piece.first;
  const last = piece.last === axis.last && open[1] ? Infinity : piece.last;
  return sights.length === 0
    ? {}
    : placesOf(
        rows,
        axis.rowAt,
        { first, last },
        sights.map(({ path }) => path),
      );
}

/** What a full query is split into. `piece`: undefined if it isn't a piece yet. `full`: the number of rows at which a piece is full. */
export function narrowerRanges<Query extends object>(
  axis: RangeAxis,
  query: Query,
  piece: RangePiece | undefined,
  found: PieceRows,
  full: number,
): readonly RangeQuery<Query>[] {
  if (piece !== undefined) return [narrowerPiece(piece, found)].flatMap((one) => (one === undefined ? [] : [rangeQuery(axis, query, one)]));
  const [below, above] = axis.params.map((param) => ownValue(query, param));
  const first = below === undefined ? 0 : axis.placeOf(below, 'first');
  const last = above === undefined ? axis.last : axis.placeOf(above, 'last');
  if (first === undefined || last === undefined) return [];
  const open = [below === undefined, above === undefined] as const;
  return partsOf({ first, last, full, open }, found).map((one) => rangeQuery(axis, query, one));
}

/** Whether a piece is full by what the service claims. A query that isn't a piece never is, because its rows may have no value at all. */
export function isFullRange(piece: RangePiece | undefined, claim: number | undefined): boolean {
  return piece !== undefined && piece.last > piece.first && isClaimedFull(piece, claim);
}

/** What follows a piece, if anything does. `found`: undefined if it failed. */
export function nextRange<Query extends object>(
  axis: RangeAxis,
  query: Query,
  piece: RangePiece,
  found: PieceRows | undefined,
): readonly RangeQuery<Query>[] {
  const next = nextPiece(piece, found);
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
