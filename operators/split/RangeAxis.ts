import { ownValue } from '../kit/ownValue.ts';
import type { PieceRows, RangePiece } from './RangePiece.ts';
import { firstPiece, firstPieces, halvedPiece, isClaimedFull, narrowerPieces, nextPieces, isFalling } from './RangeSweep.ts';
import { byId, placesOf, type RowPlaces } from './RowPlaces.ts';

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
  /** The place of a row with such a value. undefined if it is none. */
  readonly rowAt: (value: unknown) => number | undefined;
}

/** A query for a piece of a range. */
export interface RangeQuery<Query> {
  readonly query: Query;
  readonly piece: RangePiece;
}

/** Where the rows of a query lie, by the fields that may say it. `piece`: undefined if it isn't a piece yet. */
export function rowPlaces(given: RangeAxis, piece: RangePiece | undefined, rows: readonly unknown[], ids: readonly number[]): RowPlaces {
  if (piece === undefined) return { [byId]: ids, ...placesOf(rows, given.rowAt, { first: 0, last: given.last }) };
  const { open, paths } = piece;
  const axis = towards(given, piece.isDown);
  // an open end finds rows beyond the range, too
  const first = open[0] ? -Infinity : piece.first;
  const last = open[1] && piece.last >= piece.end ? Infinity : piece.last;
  return { [byId]: ids, ...placesOf(rows, axis.rowAt, { first, last }, paths) };
}

/** Where there is much, it is swept from so many places at once. */
const lanes = 8;

/**
 * What a query is requested as at first, if the service takes none without bounds. None if nothing lies between them. `from`: only from
 * this place on.
 */
export function boundedRanges<Query extends object>(axis: RangeAxis, query: Query, full: number, from = 0): readonly RangeQuery<Query>[] {
  const range = rangeOf(axis, query);
  if (range === undefined) return [];
  const most = axis.bounds?.most;
  const [first, last] = [Math.max(range.first, Math.min(from, axis.last)), range.last];
  if (first > last) return [];
  const atOnce = most === undefined ? 1 : Math.min(lanes, Math.ceil((last - first + 1) / most));
  const width = most === undefined ? last - first + 1 : Math.ceil((last - first + 1) / (most * atOnce)) * most;
  const starts = Array.from({ length: Math.ceil((last - first + 1) / width) }, (_, lane) => first + lane * width);
  const open = [false, false] as const;
  return queriesFor(
    axis,
    query,
    starts.map((start) => firstPiece({ first: start, last: Math.min(last, start + width - 1), full, open, isDown: false, most })),
  );
}

/** What a query is requested as if it was refused as too large: its first half, the rest of which follows. */
export function halvedRanges<Query extends object>(
  axis: RangeAxis,
  query: Query,
  piece: RangePiece | undefined,
): readonly RangeQuery<Query>[] {
  return piece === undefined ? [] : queriesFor(axis, query, halvedPiece(piece));
}

/** The places of a query's own bounds, else the ends of the axis. undefined: it has a bound that is no place. */
function rangeOf(axis: RangeAxis, query: object): { readonly first: number; readonly last: number } | undefined {
  const [below, above] = axis.params.map((param) => ownValue(query, param));
  const first = below === undefined ? 0 : axis.placeOf(below, 'first');
  const last = above === undefined ? axis.last : axis.placeOf(above, 'last');
  return first === undefined || last === undefined ? undefined : { first, last };
}

/** What a full query is split into. `piece`: undefined if it isn't a piece yet. `full`: the number of rows at which a piece is full. */
export function narrowerRanges<Query extends object>(
  given: RangeAxis,
  query: Query,
  piece: RangePiece | undefined,
  found: PieceRows,
  full: number,
): readonly RangeQuery<Query>[] {
  if (piece !== undefined) return queriesFor(given, query, narrowerPieces(piece, found));
  const isDown = isFalling(found.places);
  const axis = towards(given, isDown);
  const range = rangeOf(axis, query);
  // a bound may also lie beyond the ends of the range
  if (range === undefined || range.first >= range.last) return [];
  const { first, last } = range;
  const [below, above] = axis.params.map((param) => ownValue(query, param));
  const open = [below === undefined, above === undefined] as const;
  const flipped = Object.entries(found.places).map(
    ([path, own]) => [path, path === byId ? own : own.map((place) => axis.last - place)] as const,
  );
  const places = isDown ? Object.fromEntries(flipped) : found.places;
  return queriesFor(given, query, firstPieces({ first, last, full, open, isDown }, { ...found, places }));
}

/** The axis from its other end on, if so wanted. */
function towards(axis: RangeAxis, isDown: boolean): RangeAxis {
  if (!isDown) return axis;
  const { params, last, placeOf, valueOf, rowAt } = axis;
  const flip = (place: number | undefined): number | undefined => (place === undefined ? undefined : last - place);
  const other = { first: 'last', last: 'first' } as const;
  return {
    params: [params[1], params[0]],
    last,
    placeOf: (value, bound) => flip(placeOf(value, other[bound])),
    valueOf: (place, bound) => valueOf(last - place, other[bound]),
    rowAt: (value) => flip(rowAt(value)),
  };
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
  // what a single value was refused for wasn't its width
  return queriesFor(axis, query, nextPieces(found === undefined ? { ...piece, most: axis.bounds?.most } : piece, found));
}

function queriesFor<Query extends object>(given: RangeAxis, query: Query, pieces: readonly RangePiece[]): readonly RangeQuery<Query>[] {
  return pieces.map((wanted) => {
    const piece = wanted.most === undefined ? wanted : { ...wanted, last: Math.min(wanted.last, wanted.first + wanted.most - 1) };
    const { params, valueOf } = towards(given, piece.isDown);
    const [first, last] = params;
    const bounds: { [param: string]: string | number } = {};
    if (!piece.open[0]) bounds[first] = valueOf(piece.first, 'first');
    if (!piece.open[1] || piece.last < piece.end) bounds[last] = valueOf(piece.last, 'last');
    const others = Object.entries(query).filter(([param]) => param !== first && param !== last);
    return { query: { ...Object.fromEntries(others), ...bounds } as Query, piece };
  });
}
