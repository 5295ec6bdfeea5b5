import { bestEnd } from './bestEnd.ts';
import { isRefuted, lengthOf, offGrid, sightFrom, sightsOf, seeingRows, withSample, type RangeSight } from './RangeSight.ts';
import type { RowPlaces } from './RowPlaces.ts';

/** A piece of a range of whole numbers, and what is known when it is requested. It is plain data. */
export interface RangePiece {
  readonly first: number;
  readonly last: number;
  /** The sweep goes on up to here. */
  readonly end: number;
  /** The number of rows at which a piece is full. */
  readonly full: number;
  /** Rows of the latest pieces and how wide these were, the older the less. */
  readonly rows: number;
  readonly width: number;
  /** How many rows it should have, with the standard deviation. 0: it isn't known. */
  readonly expected: number;
  readonly deviation: number;
  /** How far pieces were off, against chance. 1: not further. */
  readonly off: number;
  /** Pieces from the same start that were full. */
  readonly fulls: number;
  /** What the service claimed of the whole range, and of the query that this piece was cut from. undefined: nothing, or it was wrong. */
  readonly claims?: readonly [whole: number, wider: number] | undefined;
  /** By each field that may say where rows lie. */
  readonly sights: readonly RangeSight[];
  /** Whether the range has no bound below its first place and above its last one. */
  readonly open: readonly [below: boolean, above: boolean];
}

/** What a query returned. */
export interface PieceRows {
  readonly rows: number;
  /** Where the rows lie. */
  readonly places: RowPlaces;
  /** How many there are, as the service says. */
  readonly claim?: number | undefined;
}

/** What the density so far counts for, after each piece. */
const memory = 0.6;
/** Where nothing is known, the next piece is so much narrower than a full one, or wider than an empty one. */
const leap = 16;
/** A full piece of known density had a few rows too many. */
const less = 1.3;
/** How far pieces are off before any was requested, and how much of that stays after each piece. */
const offAtFirst = 4;
const offStays = 0.75;
/** A piece can't tell that the next ones will be off by more than this. */
const mostOff = 50;
/** A piece with so many standard deviations more or fewer rows than expected shows that the density is another one. */
const surprise = 4;
/** A full piece has so many standard deviations more rows than it could return. */
const excess = 3;
/** After so many full pieces from one start, each is at most half as wide as the one before. */
const trusted = 2;
/** A claim that says the same of a narrower query doesn't count, because it may say it of all. */
const narrowed = 0.95;

type Whole = Pick<RangePiece, 'first' | 'last' | 'full' | 'open'>;

/**
 * What a full range is requested as: two parts, each swept from its start in pieces. How wide a piece is follows from all that is
 * known: the rows of the pieces before it, what the service claims, and where the rows lie that full queries returned. So
 * nearly every piece is just not full. What is known can be wrong. That costs requests, but leaves no gap.
 */
export function partsOf({ first, last, ...rest }: Whole, { places, claim }: PieceRows): readonly RangePiece[] {
  if (first >= last) return [];
  const rows = claim === undefined ? 2 * leap * rest.full : Math.max(claim, rest.full);
  const sights = sightsOf(places).map((sight) => withSample(sight, last, places, rows, 0));
  const known = sights[0]?.samples[0]?.places;
  const middle = known === undefined ? Math.floor((first + last) / 2) : known[known.length >> 1]! - 1;
  const cut = Math.max(first, Math.min(last - 1, middle));
  return [
    [first, cut],
    [cut + 1, last],
  ].map(([from, end]) => {
    const learnt = known === undefined && claim !== undefined ? { rows, width: last - first + 1 } : { rows: 0, width: 0 };
    const own = sights.map((sight) => sightFrom(sight, from!, undefined));
    const claims = claim === undefined ? undefined : ([claim, claim] as const);
    const start = {
      ...rest,
      first: from!,
      last: end!,
      end: end!,
      ...learnt,
      ...nothingExpected,
      off: offAtFirst,
      fulls: 0,
      claims,
      sights: own,
    };
    return known === undefined && claim === undefined ? widened(start, Math.floor((end! - from! + 1) / leap)) : aimed(start);
  });
}

/** Whether a piece is full, by what the service claims, before all of its pages were requested. */
export function isClaimedFull({ full, claims }: RangePiece, claim: number | undefined): boolean {
  return claim !== undefined && claims !== undefined && claim >= full && claim < narrowed * claims[1];
}

/** What is requested instead of a full piece: a narrower one from the same start. undefined if there is none. */
export function narrowerPiece(piece: RangePiece, { places, claim }: PieceRows): RangePiece | undefined {
  const { first, last, full, rows, width, fulls, expected, deviation, claims } = piece;
  const own = last - first + 1;
  if (own === 1) return undefined;
  const claimed = claims === undefined ? undefined : claim;
  const sights = seeingRows(piece.sights, places).map((sight) => (lengthOf(sight, first, last) > sight.every ? sight : offGrid(sight)));
  const next = { ...piece, sights, fulls: fulls + 1, claims: claims && ([claims[0], claim ?? claims[1]] as const) };
  if (sights.length === 0 && claimed === undefined) {
    const isDenser = rows * own < full * width || width === 0;
    return widened({ ...next, ...(isDenser ? { rows: full, width: own } : {}) }, Math.floor(own / (rows === 0 || fulls > 0 ? leap : less)));
  }
  const guess = width === 0 && fulls === 0 ? 2 * full : Math.max(expected, full + excess * deviation * (1 + fulls));
  const all = claimed === undefined ? guess : Math.max(claimed, full);
  const known = { ...next, off: Math.max(piece.off, offAfter(piece, all)) };
  const to = fulls < trusted ? last - 1 : first + (own >> 1) - 1;
  if (sights.length === 0) return aimed({ ...known, rows: all, width: own }, to);
  return aimed({ ...known, sights: sights.map((sight) => withSample(sight, last, places, all, full)) }, to);
}

/** What follows a piece. undefined at the end of the sweep. `found`: undefined if it failed. */
export function nextPiece(piece: RangePiece, found: PieceRows | undefined): RangePiece | undefined {
  const { first, last, end, expected, full } = piece;
  if (last >= end) return undefined;
  if (found === undefined) return follow(piece, { sights: piece.sights.map((sight) => sightFrom(sight, last + 1, undefined)) });
  const { rows, places, claim } = found;
  const seen = seeingRows(piece.sights, places).filter((sight) => !isRefuted(sight, last, rows));
  const own = lengthOf(seen[0], first, last);
  const isKnown = seen.length > 0 || piece.claims !== undefined;
  const isOther = isKnown && expected > 0 && Math.abs(rows - expected) > surprise * Math.sqrt(expected + 10);
  // without places, what the full pieces before it told is a guess
  const past = isOther || (piece.fulls > 0 && seen.length === 0) ? 0 : memory;
  const isWrong = claim !== undefined && rows < full && Math.abs(claim - rows) > 3 + rows / 10;
  return follow(piece, {
    rows: past * piece.rows + rows,
    width: past * piece.width + own,
    off: offAfter(piece, rows),
    claims: isWrong || piece.claims === undefined ? undefined : [piece.claims[0], piece.claims[0]],
    sights: seen.map((sight) => sightFrom(sight, last + 1, rows)),
  });
}

function follow(piece: RangePiece, learnt: Partial<RangePiece>): RangePiece {
  const { last, end, first } = piece;
  const next = { ...piece, ...learnt, ...nothingExpected, first: last + 1, last: end, fulls: 0 };
  // the density of a few pieces says nothing of what lies far behind them
  const far = Math.min(end, last + leap * (last - first + 1));
  const isBlind = next.sights.every(({ samples }) => samples.length === 0);
  if (isBlind && next.rows < 1) return { ...next, last: far };
  return aimed(next, isBlind ? far : end);
}

const nothingExpected = { expected: 0, deviation: 0 };

function widened(piece: RangePiece, width: number): RangePiece {
  return { ...piece, ...nothingExpected, last: piece.first + Math.max(1, width) - 1 };
}

/** How far pieces are off, after one that should have had `expected` rows. */
function offAfter({ off, expected, width }: RangePiece, rows: number): number {
  if (expected === 0 || width === 0) return off;
  const own = Math.min(mostOff, (rows - expected) ** 2 / Math.max(10, expected));
  return offStays * off + (1 - offStays) * own;
}

/** The piece with the end that brings most. */
function aimed(piece: RangePiece, to: number = piece.last): RangePiece {
  return { ...piece, ...bestEnd(piece, to) };
}
