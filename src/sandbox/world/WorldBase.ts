import type { Random } from './Random.ts';

/** Options for the sandbox's map. */
export interface MapOptions {
  /** The approximate number of places for each search: from 1 to 50,000. @default 1500 */
  readonly places?: number | undefined;
  /** Their area: west, south, east, north, in degrees. @default the whole world, in and around large cities */
  readonly within?: readonly [number, number, number, number] | undefined;
  /** The cap of one search, in places. @default 120 */
  readonly cap?: number | undefined;
  /** The width and height of a search's view, in pixels at the zoom of `ll`. @default [1024, 768] */
  readonly view?: readonly [number, number] | undefined;
  /** The share of places just outside that view which a search also returns. @default 0.08 */
  readonly beyond?: number | undefined;
}

/** What the parts of a world need of it. */
export interface WorldBase {
  readonly day: number;
  readonly map: { readonly [K in keyof MapOptions]-?: NonNullable<MapOptions[K]> };
  random(...thing: readonly (string | number | boolean | undefined)[]): Random;
}
