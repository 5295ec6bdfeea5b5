import { anything, declareOptions, like, whole } from './options/index.ts';
import type { Within } from './split/Area.ts';
import { areaOf } from './split/areaOf.ts';
import { writePoint } from './split/AreaSpec.ts';
import { gridOf, mostPoints, type PointOnEarth } from './split/gridOf.ts';

export interface GridPointsOptions {
  /** The area: `[west, south, east, north]`, `{ center: [longitude, latitude], radiusKm }`, or GeoJSON. */
  readonly within: Within;
  /** How far one point is from the next: `'1km'`, `'500m'`. Give this or `points`. */
  readonly every?: string | undefined;
  /** How many points there are at most, in rows and columns over the area's rectangle. Those outside of the area are left out. */
  readonly points?: number | undefined;
  /** The zoom to search at. @default 15 */
  readonly zoom?: number | undefined;
}

/** A point of a grid. */
export interface GridPoint extends PointOnEarth {
  /** The point as map searches take it: `@40.74,-73.98,15z`. */
  readonly ll: string;
}

/** How far points are apart, in words that follow "must be". */
export const everyKmWords = "a distance such as '1km' or '500m'";

/** A distance in kilometres. undefined: it is none. */
export function kmOf(every: unknown): number | undefined {
  const [, count, unit] = (typeof every === 'string' && /^(\d{1,7}(?:\.\d{1,6})?) ?(km|m)$/.exec(every)) || [];
  const km = Number(count) / (unit === 'm' ? 1000 : 1);
  return km > 0 ? km : undefined;
}

const asMapsTakeIt = { write: '@{latitude},{longitude},{zoom}z' };

const gridPointsOptions = declareOptions<GridPointsOptions>()({
  within: anything<Within>().needed(),
  every: like<string>(everyKmWords, (value) => kmOf(value) !== undefined),
  points: whole({ from: 1, to: mostPoints }),
  zoom: whole({ from: 0, to: 22 }).or(15),
});

/**
 * The points of a regular grid over an area, to search at each of them: where a business ranks, point by point.
 *
 * The distance is measured on the ground, also far in the north. Points in holes of the area are left out. They come row by row, from
 * the north-west.
 *
 * @example
 * from(gridPoints({ within: [13.3, 52.4, 13.5, 52.6], points: 49 })).pipe(
 *   map(({ ll }) => ({ query: 'bakery', ll })),
 *   offsetPages(client.mapsSearch, { maxPages: 1 }),
 * )
 */
export function gridPoints(options: GridPointsOptions): readonly GridPoint[] {
  const { every, points, zoom } = gridPointsOptions.read('gridPoints', options);
  if ((every === undefined) === (points === undefined)) throw new RangeError('gridPoints: give every or points, and not both');
  const area = areaOf('gridPoints', options.within);
  const size = points === undefined ? { everyKm: kmOf(every)! } : { points };
  try {
    return gridOf(area, size).map((point) => ({ ...point, ll: writePoint(asMapsTakeIt, { ...point, zoom }) }));
  } catch (error) {
    throw new RangeError(`gridPoints: ${(error as Error).message}`, { cause: error });
  }
}
