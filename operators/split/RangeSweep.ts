import { neverFull, type PieceRows, type RangePiece, type Sorting } from './RangePiece.ts';
import { byId, type RowPlaces } from './RowPlaces.ts';

/** A piece is to have this share of the rows that fill it, so that it is rarely full. `npm run bench:split` shows what others cost. */
const aim = 0.75;
/** Where nothing is known, a full query is taken to have this many times the rows that it returned. */
const leap = 32;
/**
 * A full query where fewer rows were expected is taken to have this many times the rows that fill it, and that again for each full one before
 * it: rows often come in clusters.
 */
const surprise = 1.3;
/** What a piece counts for against the one behind it. */
const memory = 0.5;
/** A sample of which each row stands for a larger share of a full query says less than the pieces before. */
const coarse = 0.2;
/** After this many full pieces from one start, each is at most half as wide as the one before. */
const trusted = 2;
/** After this many pieces, the rest is swept in two parts at once. */
const together = 16;
/** A claim that says the same of a narrower query doesn't count, because it may say it of all. */
const narrowed = 0.95;

type Whole = Pick<RangePiece, 'first' | 'last' | 'full' | 'open' | 'isDown' | 'most'>;

/** What a full range is requested as: swept from its start, in pieces that are just not full as far as is known. */
export function firstPieces(whole: Whole, found: PieceRows): readonly RangePiece[] {
  const { claim } = found;
  return narrowerPieces({ ...firstPiece(whole), claims: claim === undefined ? undefined : [claim, claim] }, found);
}

/** A range of which nothing is known. */
export function firstPiece(whole: Whole): RangePiece {
  return {
    ...whole,
    end: whole.last,
    isBeyond: false,
    fulls: 0,
    pieces: 0,
    past: { rows: 0, width: 0 },
    paths: undefined,
    sample: { places: [], each: 0, end: -1 },
    claims: undefined,
    sorting: 'unknown',
  };
}

/** The fields that still say where rows lie. At first the one with the most values comes first. */
function pathsAfter({ paths }: RangePiece, { places, rows }: PieceRows): readonly string[] | undefined {
  if (paths !== undefined) return rows === 0 ? paths : paths.filter((path) => path in places);
  const some = Object.keys(places).filter((path) => path !== byId && places[path]!.length > 0);
  return rows === 0 ? undefined : some.toSorted((one, other) => new Set(places[other]).size - new Set(places[one]).size);
}

/** A piece that is refused because it is too wide, as its first half. No later one is wider. None if it is a single value. */
export function halvedPiece(piece: RangePiece): readonly RangePiece[] {
  const { first, last, isBeyond } = piece;
  if (first === last || isBeyond) return [];
  const most = (last - first + 1) >> 1;
  return [{ ...piece, last: first + most - 1, most }];
}

/** Whether a piece is full by what the service claims, before all of its pages were requested. */
export function isClaimedFull({ full, claims, sorting }: RangePiece, claim: number | undefined): boolean {
  return !isSorted(sorting) && claim !== undefined && claims !== undefined && claim >= full && claim < narrowed * claims[1];
}

/** What is requested instead of a full piece: a narrower one from the same start. None if it is a single value. */
export function narrowerPieces(piece: RangePiece, found: PieceRows): readonly RangePiece[] {
  const { first, last, fulls, claims, past } = piece;
  const full = piece.full === neverFull ? found.rows : piece.full;
  if (!piece.isBeyond && !staysSorted(piece, found)) return [goneBack(piece)];
  const closed = withinRange(piece, found);
  if (closed !== undefined) return closed;
  if (first === last || piece.isBeyond) return [];
  const paths = pathsAfter(piece, found) ?? [];
  const next = { ...piece, paths, full, fulls: fulls + 1, claims: claims && ([claims[0], found.claim ?? claims[1]] as const) };
  const sorted = sortedFrom(next, found) ?? sortedTest(next, found);
  if (sorted !== undefined) return [sorted];
  const places = (found.places[paths[0] ?? byId + byId] ?? []).filter((place) => place >= first && place <= last).toSorted(ascending);
  const guess =
    past.rows === 0 && piece.sample.each === 0 ? leap * full : Math.max(rowsUntil(piece, last), full) * surprise ** (1 + 3 * fulls);
  const size = claims === undefined ? guess : (found.claim ?? guess);
  const sample = { places: paths.length === 0 ? [] : places, each: size / Math.max(1, places.length), end: last };
  const to = fulls < trusted ? last - 1 : first + ((last - first + 1) >> 1) - 1;
  const sorting = typeof next.sorting === 'object' ? 'none' : next.sorting;
  if (paths.length === 0 && claims === undefined) return [{ ...next, sample, sorting, last: first + ((last - first + 1) >> 1) - 1 }];
  const density = sample.places.length === 0 ? { rows: size, width: last - first + 1 } : past;
  return [aimed({ ...next, sample, sorting, past: density }, to)];
}

/** What follows a piece. None at the end of the sweep. `found`: undefined if it failed. */
export function nextPieces(piece: RangePiece, found: PieceRows | undefined): readonly RangePiece[] {
  const { first, last, end, claims, past } = piece;
  if (piece.isBeyond) return [];
  if (found !== undefined && !staysSorted(piece, found)) return [goneBack(piece)];
  if (last >= end) return [];
  if (found === undefined) return [followed(piece)];
  const { rows, claim } = found;
  const isWrong = claim !== undefined && rows < piece.full && Math.abs(claim - rows) > 3 + rows / 10;
  const learnt: RangePiece = {
    ...piece,
    past: { rows: memory * past.rows + rows, width: memory * past.width + last - first + 1 },
    paths: pathsAfter(piece, found),
    sample: { ...piece.sample, each: corrected(piece, rows) },
    claims: isWrong || claims === undefined ? undefined : [claims[0], claims[0]],
    sorting: sortingAfter(piece, found),
  };
  if (isSorted(learnt.sorting) || piece.pieces === undefined || piece.pieces < together || end - last < 2) return [followed(learnt)];
  const cut = Math.floor((last + 1 + end) / 2);
  const [below, above] = learnt.open;
  const rest = { ...learnt, first: cut, last: end, fulls: 0, pieces: undefined, open: [false, above] as const };
  return [followed({ ...learnt, end: cut - 1, pieces: undefined, open: [below, false] }), aimed(rest, end)];
}

/** What each row of the sample stands for, once it is known how many rows a part of it had. */
function corrected({ sample: { places, each, end }, first, last }: RangePiece, rows: number): number {
  const passed = places.filter((place) => place >= first && place <= last).length;
  // what was guessed counts for two rows of the sample
  return last > end || passed === 0 ? each : (2 * each + rows) / (2 + passed);
}

/** How many rows are expected from the first place of a piece to this one. */
function rowsUntil({ first, past, sample, full }: RangePiece, last: number): number {
  const density = past.width === 0 ? 0 : past.rows / past.width;
  const end = Math.min(last, sample.end);
  const ahead = sample.each === 0 || (sample.each > coarse * full && density > 0) ? undefined : sample.places.filter((at) => at >= first);
  if (ahead === undefined || ahead.length === 0 || end < first) return density * (last - first + 1);
  let at = 0;
  while (at < ahead.length && ahead[at]! <= end) at += 1;
  // between two rows of the sample the rows are taken to lie evenly
  const [before, next] = [at === 0 ? first : ahead[at - 1]!, ahead[at] ?? sample.end + 1];
  const between = next > before ? (end - before) / (next - before) : 0;
  return sample.each * (at + Math.min(1, between)) + density * (last - end);
}

/** The widest piece from its start, up to a place, that is to have as many rows as are aimed at. */
function aimed(piece: RangePiece, to: number): RangePiece {
  let [low, high] = [piece.first, Math.max(piece.first, Math.min(to, piece.end))];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rowsUntil(piece, middle) <= aim * piece.full) low = middle;
    else high = middle - 1;
  }
  return { ...piece, last: low };
}

function followed(piece: RangePiece): RangePiece {
  const first = piece.last + 1;
  const pieces = piece.pieces === undefined ? undefined : piece.pieces + 1;
  const next = { ...piece, first, last: piece.end, fulls: 0, pieces, open: [false, piece.open[1]] as const };
  if (isSorted(piece.sorting)) return { ...next, sorting: { ...piece.sorting, again: [] } };
  // Where the last pieces had no rows, the next one is wider.
  if (piece.past.rows < 1 && piece.sample.places.every((place) => place < first)) {
    return { ...next, last: Math.min(piece.end, first + 4 * (piece.last - piece.first + 1)) };
  }
  return aimed(next, piece.end);
}

/** Rows weren't sorted after all: the sweep goes back to where it began to trust that. */
function goneBack(piece: RangePiece): RangePiece {
  const first = isSorted(piece.sorting) ? piece.sorting.since : piece.first;
  return aimed({ ...piece, first, fulls: 0, sorting: 'none', sample: { places: [], each: 0, end: -1 } }, piece.end);
}

/**
 * An open end finds rows beyond the range. Where they may fill the piece, it is requested with the exact bound, and what lies beyond by
 * itself, so that it is reported if it is full.
 */
function withinRange(piece: RangePiece, { places }: PieceRows): readonly RangePiece[] | undefined {
  const { first, last, end, open, paths, isBeyond } = piece;
  if (isBeyond) return undefined;
  const known = paths?.map((path) => places[path]).find((own) => own !== undefined);
  const below = open[0] && (known?.some((place) => place < first) ?? first === last);
  const above = open[1] && last === end && (known?.some((place) => place > last) ?? first === last);
  if (!below && !above) return undefined;
  const beyond = (at: number, side: readonly [boolean, boolean]): RangePiece => ({
    ...piece,
    first: at,
    last: at,
    end: at,
    open: side,
    isBeyond: true,
  });
  return [
    { ...piece, open: [open[0] && !below, open[1] && !above] },
    ...(below ? [beyond(first - 1, [true, false])] : []),
    ...(above ? [beyond(end + 1, [false, true])] : []),
  ];
}

function isSorted(sorting: Sorting): sorting is Extract<Sorting, { readonly since: number }> {
  return typeof sorting === 'object' && 'since' in sorting;
}

/** Whether a service sorts rows, after a piece that isn't full. */
function sortingAfter({ sorting, last }: RangePiece, { rows }: PieceRows): Sorting {
  if (typeof sorting !== 'object' || isSorted(sorting)) return sorting;
  return rows === sorting.expected ? { since: last + 1, again: [] } : 'none';
}

function ascending(one: number, other: number): number {
  return one - other;
}

/** Fewer rows may be in order by chance. */
const fewest = 8;
/** Sorted pieces begin with the last rows before them once more: nearby rows may be swapped. At least this many, and at most this share. */
const [lap, mostLapped] = [3, 0.05];

/** After a full page that looks sorted: the piece before its last place, to see whether it has just the rows that the page showed. */
function sortedTest(piece: RangePiece, found: PieceRows): RangePiece | undefined {
  const path = risingPath(piece, found);
  if (piece.sorting !== 'unknown' || path === undefined) return undefined;
  const places = found.places[path]!;
  const edge = places.at(-1)!;
  if (edge <= piece.first) return undefined;
  return { ...piece, paths: [path], last: edge - 1, sorting: { expected: places.indexOf(edge) } };
}

/** After a full page of a service that sorts: the query that goes on shortly before its end. */
function sortedFrom(piece: RangePiece, found: PieceRows): RangePiece | undefined {
  const { sorting, first } = piece;
  const path = risingPath(piece, found);
  if (typeof sorting !== 'object' || !('since' in sorting) || path === undefined) return undefined;
  const places = found.places[path]!;
  const edge = places.at(-1)!;
  if (edge <= first) return { ...piece, last: first, sorting: { ...sorting, again: [] } }; // all rows have one value
  const lapped = places[places.indexOf(edge) - lap] ?? edge;
  const isFew = places.length - places.indexOf(lapped) <= Math.max(2 * lap, mostLapped * places.length);
  const start = isFew && lapped > first ? lapped : edge;
  const again = found.places[byId]!.slice(places.indexOf(start));
  return { ...piece, first: start, last: piece.end, fulls: 0, open: [false, piece.open[1]], sorting: { ...sorting, again } };
}

/** Whether a page fits to what is believed: its rows are in order, and the last ones of the page before come first. */
function staysSorted({ sorting, paths }: RangePiece, found: PieceRows): boolean {
  if (typeof sorting !== 'object' || !('since' in sorting)) return true;
  const ids = found.places[byId]!;
  if (sorting.again.some((id, index) => ids[index] !== id)) return false;
  const places = found.places[paths?.[0] ?? byId];
  return found.rows === 0 || (places?.length === found.rows && isRising(places));
}

/** The field by which a page's rows are in order, if they are. */
function risingPath({ paths }: RangePiece, { places, rows }: PieceRows): string | undefined {
  return paths?.find((path) => rows >= fewest && places[path]?.length === rows && isRising(places[path]));
}

function isRising(places: readonly number[]): boolean {
  return places.every((place, index) => index === 0 || place >= places[index - 1]!);
}

/** Whether rows come from the upper end of a range on, by any field that may say where they lie: newest first, for example. */
export function isFalling(found: RowPlaces): boolean {
  return Object.entries(found).some(([path, places]) => {
    if (path === byId) return false;
    const steps = places.slice(1).map((place, index) => Math.sign(place - places[index]!));
    const [falls, rises] = [-1, 1].map((sign) => steps.filter((step) => step === sign).length);
    return places.length >= fewest && falls! >= fewestFalls && falls! > mostlyFalls * rises!;
  });
}

/** Many rows may have the same value, but a field with two of them is a flag. */
const fewestFalls = 2;
const mostlyFalls = 4;
