import { type Area, type MapRing, lastLatitude, latitudeAt, longitudeAt } from './Area.ts';

/** A point of the earth, in degrees. */
export interface PointOnEarth {
  readonly latitude: number;
  readonly longitude: number;
}

/** How close the points of a grid are: so many kilometres apart, or so many in all. */
type GridSize = { readonly everyKm: number } | { readonly points: number };

/** The length of one degree of latitude. */
const degreeKm = (6371 * Math.PI) / 180;
/** More points are a mistake: 316 times 316. */
export const mostPoints = 100_000;
/** Lengths are compared with so much slack, so that the last point of a row isn't lost to rounding. */
const slack = 1e-9;
/** How often the distance of points is halved to find out the right one. */
const halvings = 40;

/**
 * The points of a regular grid that lie in an area, row by row from the north-west, each once. Its middle is the middle of the area.
 * Throws a RangeError if there are too many.
 */
export function gridOf(area: Area, size: GridSize): readonly PointOnEarth[] {
  if ('everyKm' in size) return pointsAt(area, size.everyKm);
  const { points } = size;
  const frame = frameOf(area);
  // two points are at least this far apart, and at most that far
  let [near, far] = [0, Math.max(frame.highKm, frame.wideKm) + 1];
  while (near === 0) {
    const half = far / 2;
    if (countAt(area, half, points) >= points) near = half;
    else far = half;
  }
  for (let turn = 0; turn < halvings; turn++) {
    const middle = (near + far) / 2;
    if (countAt(area, middle, points) >= points) near = middle;
    else far = middle;
  }
  return nearestTo(frame, pointsAt(area, near), points);
}

/** Without those that are the farthest from the middle, where there are too many. */
function nearestTo({ middle }: Frame, all: readonly PointOnEarth[], count: number): readonly PointOnEarth[] {
  if (all.length <= count) return all;
  const distance = ({ latitude, longitude }: PointOnEarth): number => {
    const east = ((((longitude - middle.longitude) % 360) + 540) % 360) - 180;
    return ((latitude - middle.latitude) * degreeKm) ** 2 + (east * degreeKm * cosine(latitude)) ** 2;
  };
  const kept = new Set(all.toSorted((one, other) => distance(one) - distance(other)).slice(0, count));
  return all.filter((point) => kept.has(point));
}

function countAt(area: Area, everyKm: number, enough: number): number {
  let count = 0;
  for (const _ of grid(area, everyKm)) if (++count >= enough) break;
  return count;
}

function pointsAt(area: Area, everyKm: number): readonly PointOnEarth[] {
  const points: PointOnEarth[] = [];
  for (const point of grid(area, everyKm)) {
    if (points.length === mostPoints) throw new RangeError(`there are more than ${mostPoints} points; give a longer distance`);
    points.push(point);
  }
  if (points.length === 0) throw new RangeError('no point lies in the area; give a shorter distance');
  return points;
}

/** The rectangle of an area, in degrees. East is larger than west, also across the date line. */
interface Frame {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
  readonly middle: PointOnEarth;
  readonly highKm: number;
  readonly wideKm: number;
}

function frameOf({ box, south, north }: Area): Frame {
  const [west, east] = [box.left * 360 - 180, box.right * 360 - 180];
  const middle = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
  const widest = south <= 0 && north >= 0 ? 0 : Math.min(Math.abs(south), Math.abs(north));
  return { west, east, south, north, middle, highKm: (north - south) * degreeKm, wideKm: (east - west) * degreeKm * cosine(widest) };
}

function* grid(area: Area, everyKm: number): Generator<PointOnEarth, void, undefined> {
  const { west, east, south, north, middle } = frameOf(area);
  const parts = area.rings.map(partOf);
  const down = everyKm / degreeKm;
  const isRound = east - west >= 360 - slack;
  // columns of all rows are in line with those of the middle one
  const isOdd = isOddIn(east - west, down / cosine(middle.latitude));
  const rows = { origin: middle.latitude + (isOddIn(north - south, down) ? 0 : down / 2), step: down };
  for (const latitude of [...placesIn(rows, south, north)].toReversed()) {
    const across = down / cosine(latitude);
    const around = 360 / countAround(across);
    const columns = isRound
      ? { origin: west, step: around }
      : { origin: middle.longitude + (isOdd || across > east - west ? 0 : across / 2), step: across };
    const last = isRound ? east - around / 2 : east;
    for (const [from, to] of stretchesAt(latitude, parts)) {
      for (const longitude of placesIn(columns, Math.max(west, from), Math.min(last, to))) {
        if (area.contains(longitude, latitude))
          yield { latitude: rounded(latitude), longitude: rounded(longitudeAt((longitude + 180) / 360)) };
      }
    }
  }
}

/** How many places have room on a whole circle of latitude, so many degrees apart in a straight line. The last one is next to the first. */
function countAround(across: number): number {
  const half = (across * Math.PI) / 360;
  return half >= 1 ? 1 : Math.floor(Math.PI / Math.asin(half) + slack);
}

function isOddIn(length: number, step: number): boolean {
  return Math.floor(length / step + slack) % 2 === 0;
}

/** The places of a row or a column between two ends, those at the ends included. */
function* placesIn({ origin, step }: { readonly origin: number; readonly step: number }, low: number, high: number): Generator<number> {
  const first = Math.ceil((low - origin) / step - slack);
  const last = Math.floor((high - origin) / step + slack);
  for (let index = first; index <= last; index++) yield Math.min(high, Math.max(low, origin + index * step));
}

/** A rectangle around one ring of an area, a little larger: most of the rectangle of an area of several parts is in none of them. */
type Part = Pick<Frame, 'west' | 'east' | 'south' | 'north'>;

function partOf(ring: MapRing): Part {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of ring) [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  const [west, east] = [left * 360 - 180, right * 360 - 180];
  const [north, south] = [edgeAt(top, 1), edgeAt(bottom, -1)];
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

/** The latitude of the northern (1) or southern (-1) edge of a ring. What lies beyond the end of the map is drawn at its end. */
function edgeAt(y: number, side: 1 | -1): number {
  const latitude = latitudeAt(y);
  if (Math.abs(latitude) < lastLatitude - 1e-6) return latitude;
  return Math.sign(latitude) === side ? side * 90 : -side * (lastLatitude - 1e-3);
}

function cosine(latitude: number): number {
  return Math.max(0, Math.cos((latitude * Math.PI) / 180));
}

/** To a ten-millionth of a degree, which is a centimetre. Never -0. */
function rounded(degrees: number): number {
  return Number(degrees.toFixed(7)) + 0;
}
