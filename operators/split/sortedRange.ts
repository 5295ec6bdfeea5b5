import type { PieceRows, RangePiece } from './RangePiece.ts';
import { byId, type RowPlaces } from './RowPlaces.ts';

/** Fewer rows may be in order by chance. */
const fewest = 8;
/** Sorted pieces begin with the last rows before them once more: nearby rows may be swapped. At least so many, and at most this share. */
const [lap, mostLapped] = [3, 0.05];

/** After a full page that looks sorted: the piece before its last place, to see whether it has just the rows that the page showed. */
export function sortedTest(piece: RangePiece, found: PieceRows): RangePiece | undefined {
  const path = risingPath(piece, found);
  if (piece.sorting !== 'unknown' || path === undefined) return undefined;
  const places = found.places[path]!;
  const edge = places.at(-1)!;
  if (edge <= piece.first) return undefined;
  return { ...piece, paths: [path], last: edge - 1, sorting: { expected: places.indexOf(edge) } };
}

/** After a full page of a service that sorts: the query that goes on shortly before its end. */
export function sortedFrom(piece: RangePiece, found: PieceRows): RangePiece | undefined {
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
export function staysSorted({ sorting, paths }: RangePiece, found: PieceRows): boolean {
  if (typeof sorting !== 'object' || !('since' in sorting)) return true;
  const ids = found.places[byId]!;
  if (sorting.again.some((id, index) => ids[index] !== id)) return false;
  const places = found.places[paths[0]!];
  return found.rows === 0 || (places?.length === found.rows && isRising(places));
}

/** The field by which a page's rows are in order, if they are. */
function risingPath({ paths }: RangePiece, { places, rows }: PieceRows): string | undefined {
  return paths.find((path) => rows >= fewest && places[path]?.length === rows && isRising(places[path]));
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
