import { like, number, whole, declareOptions } from '../../../operators/options/index.ts';
import type { Random } from './Random.ts';

type Box = NonNullable<MapOptions['within']>;
type View = NonNullable<MapOptions['view']>;
const boxWords = 'west, south, east and north in degrees, south from -85 on, north up to 85';

export const mapOptions = declareOptions<MapOptions>()({
  places: whole({ from: 1, to: 50_000 }).or(1500),
  within: like<Box>(boxWords, isBox).or([-180, -60, 180, 70]),
  cap: whole({ from: 1, finite: true }).or(120),
  view: like<View>('two positive numbers of pixels', (value) => numbersIn(value, 2).every((one) => one > 0)).or([1024, 768]),
  beyond: number({ from: 0, to: 1 }).or(0.08),
});

function isBox(value: unknown): boolean {
  const [west, south, east, north] = numbersIn(value, 4) as [number, number, number, number];
  return west >= -180 && east <= 180 && south >= -85 && north <= 85 && west < east && south < north;
}

/** The numbers of a list of this length. NaN for what isn't a number, so that every comparison is false. */
export function numbersIn(value: unknown, length: number): readonly number[] {
  const given: readonly unknown[] = Array.isArray(value) && value.length === length ? value : [];
  return Array.from({ length }, (_, index) => (typeof given[index] === 'number' ? given[index] : Number.NaN));
}

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
