import type { Random } from './Random.ts';

/** What the sandbox's map is like. */
export interface MapOptions {
  /** About how many places there are for each thing one may search for: from 1 to 50,000. @default 1500 */
  readonly places?: number | undefined;
  /** Where they are: west, south, east, north, in degrees. @default the whole world, in and around its great cities */
  readonly within?: readonly [number, number, number, number] | undefined;
  /** Places that one search gives, at most, however many there are. @default 120 */
  readonly cap?: number | undefined;
  /** How many pixels of the map a search looks at, across and down, at the zoom of `ll`. @default [1024, 768] */
  readonly view?: readonly [number, number] | undefined;
  /** The share of the places just outside that view which a search gives as well. @default 0.08 */
  readonly beyond?: number | undefined;
}

/** What the parts of a world need of it. */
export interface WorldBase {
  readonly day: number;
  readonly map: { readonly [K in keyof MapOptions]-?: NonNullable<MapOptions[K]> };
  random(...thing: readonly (string | number | boolean | undefined)[]): Random;
}
