import { byId } from './RangeSight.ts';
import type { RowPlaces } from './RowPlaces.ts';

/** Where the rows end that a full query returned in the order of their places. */
export interface RowEdge {
  readonly place: number;
  /** How many rows lie before this place, and how many on it. */
  readonly before: number;
  readonly on: number;
  /** The place before it with rows, and how many. undefined: there is none. */
  readonly prior?: { readonly place: number; readonly on: number } | undefined;
}

/** Fewer rows may be in order by chance. */
const fewest = 8;

/** Returns the place of the last row, if the rows are in order. If the service sorts them, it returned all rows before this place. */
export function edgeOf(places: readonly number[], rows: number): RowEdge | undefined {
  if (rows < fewest || places.length !== rows || places.some((place, index) => place < places[index - 1]!)) return undefined;
  const place = places.at(-1)!;
  const before = places.indexOf(place);
  const prior = places[before - 1];
  return {
    place,
    before,
    on: rows - before,
    prior: prior === undefined ? undefined : { place: prior, on: before - places.indexOf(prior) },
  };
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
