import { bestEnd, expecting } from './bestEnd.ts';
import { kept } from './RangePast.ts';
import { byId, isRefuted, lengthOf, offGrid, sightFrom, sightsOf, seeingRows, withSample, type RangeSight } from './RangeSight.ts';
import { edgeOf, type RowEdge } from './rowOrder.ts';
import { isSameOrder, rankedRows, reachBack } from './rowRanks.ts';
import { sizeOfFull } from './sizeOfFull.ts';
import type { PieceRows, RangePiece } from './RangePiece.ts';

/** After so many pieces, the rest is swept in two parts at once. */
const together = 16;
/** After so many full pieces from one start, each is at most half as wide as the one before. */
const trusted = 2;
/** Sorted pieces have the last rows before them once more, if they are no larger share: two rows may be swapped there. */
const lapped = 0.02;
/** A piece that is expected to have so many times the rows of a full one is requested to see where its rows lie. */
const wide = 1.3;
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
  const { first, last, fulls, claims } = piece;
  const { places, claim } = found;
  const own = last - first + 1;
  const back = backTo(piece, found);
  if (back !== undefined) return backFrom(piece, back);
  if (own === 1) return piece.from === undefined ? undefined : { ...piece, from: undefined };
  const sights = seeingRows(piece.sights, [first, last], places)
    .map((sight) => (lengthOf(sight, first, last) > sight.every ? sight : offGrid(sight)))
    .map((sight) => inOrder(sight, found));
  const expected = expecting({ ...piece, sights })(last);
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
  const size = sizeOfFull(next, found, expected);
  const to = fulls < trusted ? last - 1 : first + (own >> 1) - 1;
  return aimed({ ...next, sights: sights.map((one) => withSample(one, [first, last], places, size)) }, to);
}

/** What follows a piece. None at the end of the sweep. `found`: undefined if it failed. */
export function nextPieces(piece: RangePiece, found: PieceRows | undefined): readonly RangePiece[] {
  const { first, last, from, end, full, past, claims } = piece;
  const back = found && backTo(piece, found);
  if (back !== undefined) return [backFrom(piece, back)];
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

/** From where the range is swept anew, because rows don't come as they were taken to. undefined: they do, as far as known. */
function backTo(piece: RangePiece, found: PieceRows): number | undefined {
  if (isLost(piece, found)) return piece.again!.first;
  return isUnsorted(piece, found) ? piece.sorted : undefined;
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
