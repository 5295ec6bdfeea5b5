import { type Area, type MapRing, latitudeAt, longitudeAt } from './Area.ts';

/** A point of the earth, in degrees. */
export interface PointOnEarth {
  readonly latitude: number;
  readonly longitude: number;
}

/** How close the points of a grid are: their distance in kilometres, or their number. */
type GridSize = { readonly everyKm: number } | { readonly points: number };

/** The length of one degree of latitude. */
const degreeKm = (6371 * Math.PI) / 180;
/** The limit, about 316 times 316. More points are probably a mistake. */
export const mostPoints = 100_000;
/** The tolerance when lengths are compared, so that the last point of a row isn't lost to rounding. */
const slack = 1e-9;

/**
 * The points of a regular grid that lie in an area, row by row from the north-west. With `everyKm`, the middle of the grid is that of the
 * area. With `points`, the area's rectangle is divided into at most so many parts, with a point in the middle of each. Throws a RangeError
 * if there are too many points, or none.
 */
export function gridOf(area: Area, size: GridSize): readonly PointOnEarth[] {
  const points: PointOnEarth[] = [];
  for (const { latitude, longitude } of 'points' in size ? inParts(area, size.points) : everyKm(area, size.everyKm)) {
    if (!area.contains(longitude, latitude)) continue;
    if (points.length === mostPoints) throw new RangeError(`there are more than ${mostPoints} points; give a longer distance`);
    points.push({ latitude: rounded(latitude), longitude: rounded(longitudeAt((longitude + 180) / 360)) });
  }
  if (points.length === 0) throw new RangeError('no point lies in the area; give a shorter distance, or more points');
  return points;
}

function* inParts(area: Area, points: number): Generator<PointOnEarth, void, undefined> {
  const { west, east, south, north, middle } = frameOf(area);
  const shape = (north - south) / ((east - west) * cosine(middle.latitude));
  const square = Math.sqrt(points);
  // 49 points are seven times seven, unless the area is much longer than wide
  const isSquare = Number.isInteger(square) && shape > 0.5 && shape < 2;
  const rows = isSquare ? square : Math.max(1, Math.min(points, Math.round(square * Math.sqrt(shape))));
  const columns = Math.floor(points / rows);
  for (let row = rows - 0.5; row > 0; row--)
    for (let column = 0.5; column < columns; column++)
      yield { latitude: south + (row * (north - south)) / rows, longitude: west + (column * (east - west)) / columns };
}

/** The rectangle of an area, in degrees. East is larger than west, also across the date line. */
interface Frame {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
  readonly middle: PointOnEarth;
}

function frameOf({ box, south, north }: Area): Frame {
  const [west, east] = [box.left * 360 - 180, box.right * 360 - 180];
  return { west, east, south, north, middle: { latitude: (south + north) / 2, longitude: (west + east) / 2 } };
}

function* everyKm(area: Area, km: number): Generator<PointOnEarth, void, undefined> {
  const { west, east, south, north, middle } = frameOf(area);
  const parts = area.rings.map(partOf);
  const down = km / degreeKm;
  // all rows have a point on the middle meridian, or none of them has
  const isOdd = isOddIn(east - west, down / cosine(middle.latitude));
  const rows = { origin: middle.latitude + (isOddIn(north - south, down) ? 0 : down / 2), step: down };
  for (const latitude of [...linesIn(rows, south, north)].toReversed()) {
    const across = down / cosine(latitude);
    const columns = { origin: middle.longitude + (isOdd || across > east - west ? 0 : across / 2), step: across };
    for (const [from, to] of stretchesAt(latitude, parts))
      for (const longitude of linesIn(columns, Math.max(west, from), Math.min(east, to))) yield { latitude, longitude };
  }
}

function isOddIn(length: number, step: number): boolean {
  return Math.floor(length / step + slack) % 2 === 0;
}

/** The degrees of the rows or columns between two ends, which are included. */
function* linesIn({ origin, step }: { readonly origin: number; readonly step: number }, low: number, high: number): Generator<number> {
  const first = Math.ceil((low - origin) / step - slack);
  const last = Math.floor((high - origin) / step + slack);
  for (let index = first; index <= last; index++) yield Math.min(high, Math.max(low, origin + index * step));
}

/** A rectangle around one ring of an area, and a little larger. Points outside of all of them needn't be tested. */
type Part = Pick<Frame, 'west' | 'east' | 'south' | 'north'>;

function partOf(ring: MapRing): Part {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of ring) [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  const [west, east] = [left * 360 - 180, right * 360 - 180];
  const [north, south] = [latitudeAt(top), latitudeAt(bottom)];
  const beyond = 0.01 * Math.max(east - west, north - south);
  return { west: west - beyond, east: east + beyond, south: south - beyond, north: north + beyond };
}

/** The parts of a circle of latitude that may lie in an area, from west to east. They don't overlap. */
function stretchesAt(latitude: number, parts: readonly Part[]): readonly (readonly [west: number, east: number])[] {
  const joined: [number, number][] = [];
  for (const { west, east } of parts
    .filter(({ south, north }) => latitude >= south && latitude <= north)
    .toSorted((one, other) => one.west - other.west)) {
    const last = joined.at(-1);
    if (last !== undefined && west <= last[1]) last[1] = Math.max(last[1], east);
    else joined.push([west, east]);
  }
  return joined;
}

function cosine(latitude: number): number {
  return Math.max(0, Math.cos((latitude * Math.PI) / 180));
}

/** To a ten-millionth of a degree, which is a centimetre. Never -0. */
function rounded(degrees: number): number {
  return Number(degrees.toFixed(7)) + 0;
}
