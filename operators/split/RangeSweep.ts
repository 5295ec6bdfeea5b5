import { above } from './above.ts';
import { bestEnd, expecting, outcomes, type Expected, type PieceStart } from './bestEnd.ts';
import { kept } from './RangePast.ts';
import {
  byId,
  isRefuted,
  lengthOf,
  offGrid,
  sightFrom,
  sightsOf,
  seeingRows,
  shareAt,
  withSample,
  type RangeSight,
  type Size,
} from './RangeSight.ts';
import { edgeOf, type RowEdge } from './rowOrder.ts';
import { isSameOrder, rankedRows, reachBack, sizeByRanks, type RankedRow } from './rowRanks.ts';
import type { RowPlaces } from './RowPlaces.ts';

/** A piece of a range of whole numbers, and what is known when it is requested. It is plain data. */
export interface RangePiece extends PieceStart {
  readonly last: number;
  /** Where its query begins, if it returns some of the rows before the piece again. */
  readonly from?: number | undefined;
  /** The last rows before the piece. None if the service doesn't list rows in the same order in each query, as far as known. */
  readonly before: readonly RankedRow[];
  readonly isRanked?: boolean | undefined;
  /** The sweep goes on up to here. */
  readonly end: number;
  /** Pieces from the same start that were full. */
  readonly fulls: number;
  /** Whether the range has no bound below its first place and above its last one. */
  readonly open: readonly [below: boolean, above: boolean];
  /** Pieces before this one. undefined once the rest of the range is swept in two parts. */
  readonly pieces: number | undefined;
  /** The range is swept from its upper end on: its last place is 0. */
  readonly isDown: boolean;
  /** All rows before this place are known if a piece that begins there has so many on it, and this one. If not, the sweep goes back. */
  readonly again?: { readonly place: number; readonly rows: number; readonly id: number | undefined; readonly first: number } | undefined;
  /** From here on the service is taken to sort rows by their places. */
  readonly sorted?: number | undefined;
}

/** What a query returned. */
export interface PieceRows {
  readonly rows: number;
  /** Where the rows lie. */
  readonly places: RowPlaces;
  /** How many there are, as the service says. */
  readonly claim?: number | undefined;
}

/** Where nothing is known, a full piece is taken to have so many times the rows that it returned. */
const leap = 32;
/** … and elsewhere at least so many rows more. */
const leastExcess = 6;
/** A smaller share of rows doesn't show where the others lie … */
const seen = 0.12;
/** … so a full piece there is a surprise: what the pieces before tell of it is taken to have so many times the variance. */
const unseenDoubt = 5;
/** After so many pieces, the rest is swept in two parts at once. */
const together = 16;
/** After so many full pieces from one start, each is at most half as wide as the one before. */
const trusted = 2;
/** Sorted pieces have the last rows before them once more, if they are no larger share: two rows may be swapped there. */
const lapped = 0.02;
/** A piece that is expected to have so many times the rows of a full one is requested to see where its rows lie. */
const wide = 1.3;
/** Claims may be wrong by this share. */
const maxWrong = 0.05;
/** A claim that says the same of a narrower query doesn't count, because it may say it of all. */
const narrowed = 0.95;

type Whole = Pick<RangePiece, 'first' | 'last' | 'full' | 'open' | 'isDown'>;

/**
 * What a full range is requested as: swept from its start in pieces. How wide a piece is follows from all that is known: the rows of the
 * pieces before it, what the service claims, and where the rows lie that full queries returned. So nearly every piece is just not
 * full. What is known can be wrong. That costs requests, but leaves no gap.
 */
export function firstPiece(whole: Whole, found: PieceRows): RangePiece | undefined {
  const { places, claim } = found;
  const claims = claim === undefined ? undefined : ([claim, claim] as const);
  return narrowerPiece({ ...whole, end: whole.last, past: [], before: [], fulls: 0, claims, sights: sightsOf(places), pieces: 0 }, found);
}

/** Whether a piece is full, by what the service claims, before all of its pages were requested. */
export function isClaimedFull({ full, claims, sights }: RangePiece, claim: number | undefined): boolean {
  return sights[0]?.isInOrder !== true && claim !== undefined && claims !== undefined && claim >= full && claim < narrowed * claims[1];
}

/** What is requested instead of a full piece: a narrower one from the same start. undefined if there is none. */
export function narrowerPiece(piece: RangePiece, found: PieceRows): RangePiece | undefined {
  const { first, last, full, fulls, claims } = piece;
  const { places, claim } = found;
  const own = last - first + 1;
  if (isLost(piece, found)) return backFrom(piece, piece.again!.first);
  if (isUnsorted(piece, found)) return backFrom(piece, piece.sorted!);
  if (own === 1) return piece.from === undefined ? undefined : { ...piece, from: undefined };
  const sights = seeingRows(piece.sights, [first, last], places)
    .map((sight) => (lengthOf(sight, first, last) > sight.every ? sight : offGrid(sight)))
    .map((sight) => inOrder(sight, found));
  const expected = expecting({ ...piece, sights })(last);
  const isBlind = expected.rows < 1;
  const next = { ...piece, sights, fulls: fulls + 1, claims: claims && ([claims[0], claim ?? claims[1]] as const) };
  const [sight, ...others] = sights;
  const edge = sight!.path === byId ? undefined : edgeOf(places[sight!.path]!, found.rows);
  const againAt = ({ place, on }: Pick<RowEdge, 'place' | 'on'>): RangePiece['again'] => ({
    place,
    rows: on,
    id: places[byId]?.at(-1),
    first,
  });
  if (edge !== undefined && sight!.isInOrder === true) {
    if (edge.place <= first) return { ...next, from: undefined, last: first };
    const { prior } = edge;
    const start = prior !== undefined && prior.place > first && prior.on <= Math.max(1, lapped * found.rows) ? prior : edge;
    const ahead = sights.map((one) => sightFrom(one, start.place, undefined));
    return { ...next, first: start.place, from: undefined, fulls: 0, past: [], before: [], sights: ahead, again: againAt(start) };
  }
  if (edge !== undefined && edge.before > 0 && edge.place > first && sight!.isInOrder === undefined) {
    return { ...next, last: edge.place - 1, again: againAt(edge), sights: [{ ...sight!, isInOrder: edge.before }, ...others] };
  }
  const isClaimed = claims !== undefined && claim !== undefined;
  const isUnranked = sight!.path === byId || piece.isRanked === false;
  const size = isClaimed
    ? sized(Math.max(claim, full + 1), maxWrong)
    : isBlind
      ? sized(leap * full, 0.5)
      : isUnranked
        ? likelySize(expected, full)
        : sizeOf(next, found, fullSize(expected, full, shareAt(sight!, last) >= seen));
  const to = fulls < trusted ? last - 1 : first + (own >> 1) - 1;
  return aimed({ ...next, sights: sights.map((one) => withSample(one, [first, last], places, size)) }, to);
}

function sized(rows: number, off: number): Size {
  return { rows, deviation: off * rows };
}

/** How many rows a full query has, by what was expected of it, where no ranks of rows can correct a surprise: hardly more. */
function likelySize(expected: Expected, full: number): Size {
  const { fullRows } = outcomes(full, expected);
  const beyond = Math.min(Math.sqrt(expected.variance), 2 * (fullRows - full));
  return { rows: Math.max(full + leastExcess, fullRows), deviation: Math.max(leastExcess, beyond) };
}

/** How many rows a full query has, by what was expected of it. `isSeen`: an earlier full query shows where its rows lie. */
function fullSize({ rows, variance }: Expected, full: number, isSeen: boolean): Size {
  const chance = 1 / rows;
  const off = Math.max(0, variance / rows ** 2 - chance);
  const doubt = Math.log(1 + chance + (isSeen ? off : unseenDoubt * off));
  const { more, left } = above(Math.log(full / rows), doubt);
  const most = Math.max(full + leastExcess, rows * Math.exp(more));
  return { rows: most, deviation: Math.max(leastExcess, most * Math.sqrt(left)) };
}

/** How many rows a full query has, by what was expected of its piece and by the rows that other queries returned, too. */
function sizeOf({ from = Infinity, last, before, isRanked, sights: [sight] }: RangePiece, { places }: PieceRows, expected: Size): Size {
  if (isRanked !== true) return expected;
  const again = before.filter(({ place }) => place >= from);
  const beside = sight!.samples.filter((sample) => sample.last < last);
  return sizeByRanks({ ...expected, rows: expected.rows + again.length }, places[byId]!, again, beside);
}

/** What follows a piece. None at the end of the sweep. `found`: undefined if it failed. */
export function nextPieces(piece: RangePiece, found: PieceRows | undefined): readonly RangePiece[] {
  const { first, last, from, end, full, past, claims } = piece;
  if (found !== undefined && isLost(piece, found)) return [backFrom(piece, piece.again!.first)];
  if (found !== undefined && isUnsorted(piece, found)) return [backFrom(piece, piece.sorted!)];
  if (last >= end) return [];
  if (found === undefined) {
    return [follow(piece, { before: [], sights: piece.sights.map((sight) => sightFrom(sight, last + 1, undefined)) })];
  }
  const { claim } = found;
  const { rows, places } = from === undefined ? found : rowsFrom(first, piece, found);
  const seen = seeingRows(piece.sights, [first, last], places).filter((sight) => !isRefuted(sight, last, rows));
  const isWrong = claim !== undefined && rows < full && Math.abs(claim - rows) > 3 + rows / 10;
  const learnt = {
    ...ranksOf(piece, found),
    past: [...past, [rows, lengthOf(seen[0], first, last)] as const].slice(-kept),
    claims: isWrong || claims === undefined ? undefined : ([claims[0], claims[0]] as const),
    sights: seen
      .map((sight, index) => (sight.path === byId && index > 0 ? { ...sight, samples: [] } : sight))
      .map((sight) => sightFrom(inOrder(sight, found), last + 1, rows)),
  };
  if (piece.pieces === undefined || piece.pieces < together || end - last < 2) return [follow(piece, learnt)];
  const known = learnt.sights[0]?.samples.at(-1)?.places ?? [];
  const cut = Math.min(end - 1, Math.max(last + 1, known.length === 0 ? Math.floor((last + end) / 2) : known[known.length >> 1]! - 1));
  const sights = learnt.sights.map((sight) => sightFrom(sight, cut + 1, undefined));
  const second = { ...piece, ...learnt, before: [], first: cut + 1, last: end, pieces: undefined, sights };
  return [follow({ ...piece, end: cut, pieces: undefined }, learnt), aimed(second)];
}

/** What a query returned of its piece, without the rows before it. */
function rowsFrom(first: number, { sights: [sight] }: RangePiece, { rows, places }: PieceRows): Pick<PieceRows, 'rows' | 'places'> {
  const before = (places[sight!.path] ?? []).filter((place) => place < first).length;
  const own = Object.entries(places).map(([path, all]) => [path, path === byId ? all : all.filter((place) => place >= first)] as const);
  return { rows: rows - before, places: Object.fromEntries(own) };
}

/** The last rows of a piece that isn't full, with their ranks. */
function ranksOf({ sights: [sight], isRanked }: RangePiece, { places }: PieceRows): Pick<RangePiece, 'before' | 'isRanked'> {
  const [own, ids] = [places[sight!.path] ?? [], places[byId]!];
  if (sight!.path === byId || own.length !== ids.length) return { before: [], isRanked };
  const isSame = isSameOrder(sight!.samples, ids) ?? isRanked;
  return { before: isSame === true ? rankedRows(sight!.samples, ids, own) : [], isRanked: isSame };
}

/** The sight after a query that shows whether the service sorts rows by it. */
function inOrder(sight: RangeSight, { rows, places }: PieceRows): RangeSight {
  const { isInOrder, path } = sight;
  if (path === byId || isInOrder === undefined || isInOrder === false) return sight;
  return { ...sight, isInOrder: edgeOf(places[path]!, rows) !== undefined && (isInOrder === true || isInOrder === rows) };
}

/**
 * Whether rows on the first place of a piece, which the query before it had, aren't in it. Then bounds mean something else than places,
 * such as days that begin at another hour.
 */
function isLost({ first, again, sights: [sight] }: RangePiece, { places }: PieceRows): boolean {
  if (sight?.isInOrder !== true || again?.place !== first) return false;
  const onIt = (places[sight.path] ?? []).filter((place) => place === first).length;
  return onIt < again.rows || (again.id !== undefined && places[byId]?.includes(again.id) === false);
}

/** Whether rows come in another order after all, so that full queries before may have lacked rows before the place of their last one. */
function isUnsorted({ first, sorted = first, sights: [sight] }: RangePiece, { places }: PieceRows): boolean {
  if (sight?.isInOrder !== true || sorted >= first) return false;
  return (places[sight.path] ?? []).some((place, index, all) => place < all[index - 1]!);
}

function backFrom(piece: RangePiece, first: number): RangePiece {
  const sights = piece.sights.map((sight) => ({ ...sight, isInOrder: false, samples: [] }));
  return aimed({ ...piece, sights, first, before: [], again: undefined, sorted: undefined });
}

function follow(piece: RangePiece, learnt: Partial<RangePiece>): RangePiece {
  const { last, end } = piece;
  const pieces = piece.pieces === undefined ? undefined : piece.pieces + 1;
  const next = { ...piece, ...learnt, pieces, first: last + 1, last: end, fulls: 0 };
  if (next.sights[0]?.isInOrder === true) return { ...next, from: undefined, sorted: piece.sorted ?? next.first };
  return aimed(next, end);
}

function aimed(piece: RangePiece, to: number = piece.last): RangePiece {
  const last = bestEnd(piece, to);
  const { rows } = expecting(piece)(last);
  const isWide = piece.claims === undefined && last > piece.first && rows > wide * piece.full;
  return { ...piece, last, from: isWide ? reachBack(piece.before, rows, piece.full) : undefined };
}
