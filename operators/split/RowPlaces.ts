import { wholeRow } from '../LazyRow.ts';
import { valueAt } from '../walk/valueAt.ts';

/** Where rows lie on a range, in any order, by the path of each field that may say so. */
export interface RowPlaces {
  readonly [path: string]: readonly number[];
}

/** The rows themselves, by numbers that recognise them, stand under this path. */
export const byId = '';

/** A field says where rows lie if all but this share of them have a place there, within the bounds of their query. */
const maxMissing = 0.2;
/** … or all but this many. */
const fewMissing = 2;

/**
 * Reads where the rows of a query lie, from all fields that may say so: those in which nearly all rows have a value between the bounds
 * of their query. Which field is meant shows once the bounds are narrow. `among`: only these fields.
 */
export function placesOf(
  rows: readonly unknown[],
  placeOf: (value: unknown) => number | undefined,
  { first, last }: { readonly first: number; readonly last: number },
  among?: readonly string[],
): RowPlaces {
  const whole = rows.map(wholeRow);
  const paths = among ?? [...new Set(whole.slice(0, sampled).flatMap((row) => pathsOf(row)))];
  return Object.fromEntries(
    paths.flatMap((path) => {
      const places = whole.flatMap((row) => placeOf(valueAt(row, path)) ?? []).filter((place) => place >= first && place <= last);
      return rows.length - places.length <= Math.max(fewMissing, maxMissing * rows.length) ? [[path, places] as const] : [];
    }),
  );
}

/** The places of the rows of two pages, where both are known. A field that one of them lacks is left out. */
export function bothPlaces(one: RowPlaces | undefined, other: RowPlaces | undefined): RowPlaces | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Object.fromEntries(Object.entries(one).flatMap(([path, places]) => (path in other ? [[path, [...places, ...other[path]!]]] : [])));
}

/** The number of rows in which fields are searched for. */
const sampled = 5;

/** The fields of a row that hold a number or a text, and those of the objects in it. */
function pathsOf(row: unknown, within: string = ''): readonly string[] {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return [];
  return Object.entries(row).flatMap(([key, value]) => {
    if (key.includes('.')) return [];
    if (typeof value === 'number' || typeof value === 'string') return [within + key];
    return within === '' ? pathsOf(value, `${key}.`) : [];
  });
}
