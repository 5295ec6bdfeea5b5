import { bboxClip } from '@turf/bbox-clip';
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import {
  type Area,
  type CircleWithin,
  type MapRing,
  type Position,
  type Within,
  lastLatitude,
  latitudeAt,
  mapX,
  mapY,
  type MapBox,
} from './Area.ts';

const earthKm = 6371;

/** The area that `within` describes. Throws a RangeError that says what is wrong with it. `caller` is the function that received it. */
export function areaOf(caller: string, within: Within): Area {
  try {
    if (typeof within !== 'object' || within === null) {
      throw new AreaMistake('must be [west, south, east, north], { center: [longitude, latitude], radiusKm }, or GeoJSON with an area');
    }
    if ('center' in within) return circle(within);
    return polygonArea(isBox(within) ? [boxRing(within)] : polygonsOf(within));
  } catch (error) {
    throw error instanceof AreaMistake ? new RangeError(`${caller}: within ${error.message}`) : error;
  }
}

function isBox(within: Within): within is Extract<Within, readonly unknown[]> {
  return Array.isArray(within);
}

function boxRing(box: readonly number[]): Polygon {
  const [west, south, east, north] = box as [number, number, number, number];
  if (box.length !== 4) throw new AreaMistake(`must be [west, south, east, north], not ${JSON.stringify(box)}`);
  checkPosition([west, south]);
  checkPosition([east, north]);
  if (south >= north) throw new AreaMistake(`must have its south below its north: [west, south, east, north], not ${JSON.stringify(box)}`);
  const right = west > east ? east + 360 : east;
  const corners: Position[] = [[west, south], [right, south], [right, north], [west, north], [west, south]]; // prettier-ignore
  return [corners];
}

function circle({ center, radiusKm }: CircleWithin): Area {
  if (!Array.isArray(center)) throw new AreaMistake('has no center: give [longitude, latitude]');
  if (!(radiusKm > 0 && radiusKm <= 5000)) throw new AreaMistake(`must have a radiusKm above 0 and up to 5000, not ${String(radiusKm)}`);
  checkPosition(center);
  const [longitude, latitude] = center;
  const up = (radiusKm / earthKm) * (180 / Math.PI);
  if (Math.abs(latitude) + up > lastLatitude) throw new AreaMistake(`must stay within ${lastLatitude}° of latitude, where the map ends`);
  const across = up / Math.cos(((Math.abs(latitude) + up) * Math.PI) / 180);
  const box: MapBox = {
    left: mapX(longitude - across),
    right: mapX(longitude + across),
    top: mapY(latitude + up),
    bottom: mapY(latitude - up),
  };
  const near = (east: number, north: number): boolean => distanceKm(longitude, latitude, east, north) <= radiusKm * (1 + 1e-12);
  const ring = Array.from({ length: 65 }, (_, index) => ringPoint(center, up, (index / 32) * Math.PI));
  return {
    box,
    south: latitude - up,
    north: latitude + up,
    rings: [ring],
    contains: near,
    touches(tile) {
      // the point of the tile that is nearest to the centre
      const x = Math.max(tile.left, Math.min(tile.right, mapX(longitude)));
      const y = Math.max(tile.top, Math.min(tile.bottom, mapY(latitude)));
      return near(x * 360 - 180, latitudeAt(y));
    },
  };
}

/** The point of a circle in a direction, seen from the north. `up` is its radius in degrees. */
function ringPoint([longitude, latitude]: readonly [number, number], up: number, turn: number): MapRing[number] {
  const radians = Math.PI / 180;
  const [middle, radius] = [latitude * radians, up * radians];
  const sine = Math.sin(middle) * Math.cos(radius) + Math.cos(middle) * Math.sin(radius) * Math.cos(turn);
  const east = Math.atan2(Math.sin(turn) * Math.sin(radius) * Math.cos(middle), Math.cos(radius) - Math.sin(middle) * sine);
  return [mapX(longitude + east / radians), mapY(Math.asin(sine) / radians)];
}

function distanceKm(fromLongitude: number, fromLatitude: number, toLongitude: number, toLatitude: number): number {
  const radians = Math.PI / 180;
  const across = Math.sin(((toLongitude - fromLongitude) * radians) / 2);
  const up = Math.sin(((toLatitude - fromLatitude) * radians) / 2);
  const share = up ** 2 + Math.cos(fromLatitude * radians) * Math.cos(toLatitude * radians) * across ** 2;
  return 2 * earthKm * Math.asin(Math.sqrt(Math.min(1, share)));
}

function polygonArea(polygons: readonly Polygon[]): Area {
  if (polygons.length === 0) throw new AreaMistake('is empty: it has no polygon');
  const beside = sideBySide(polygons);
  const [west, south, east, north] = extent(beside);
  if (!beside.some((polygon) => surface(polygon) > 0)) throw new AreaMistake('has no area: its polygons are points or lines');
  if (south >= lastLatitude || north <= -lastLatitude)
    throw new AreaMistake(`lies beyond ${lastLatitude}° of latitude, where the map ends`);
  const shape = { type: 'MultiPolygon' as const, coordinates: beside.map((rings) => rings.map((ring) => ring.map((at) => [...at]))) };
  const box: MapBox = { left: mapX(west), right: mapX(Math.min(east, west + 360)), top: mapY(north), bottom: mapY(south) };
  return {
    box,
    south,
    north,
    rings: beside.flatMap((rings) =>
      rings.map((ring): MapRing => ring.map(([longitude, latitude]) => [mapX(longitude!), mapY(latitude!)])),
    ),
    contains(longitude, latitude) {
      const first = onBorder(longitude + 360 * Math.ceil((west - longitude) / 360 - rounding), west, east);
      return first <= east && booleanPointInPolygon([first, onBorder(latitude, south, north)], shape);
    },
    touches(tile) {
      const bounds = [tile.left * 360 - 180, latitudeAt(tile.bottom), tile.right * 360 - 180, latitudeAt(tile.top)] as const;
      const clipped = bboxClip(shape, [...bounds]).geometry;
      const parts = (clipped.type === 'Polygon' ? [clipped.coordinates] : clipped.coordinates) as Polygon[];
      const whole = (bounds[2] - bounds[0]) * (bounds[3] - bounds[1]);
      // of a tile inside a hole, the outline minus the hole has no surface
      return parts.some((rings) => rings.length > 0 && surface(rings) > whole * 1e-9);
    },
  };
}

/** The rounding error of a degree that is shifted by 360. */
const rounding = 1e-12 * 360;

/** The border that a degree lies on except for rounding, else the degree itself. */
function onBorder(degree: number, ...borders: readonly number[]): number {
  return borders.find((border) => Math.abs(border - degree) < rounding) ?? degree;
}

/** The same polygons. Those west of 0° are moved by 360° if all lie closer together then, across the date line. */
function sideBySide(polygons: readonly Polygon[]): readonly Polygon[] {
  const across = polygons.map((rings) => shifted(rings, extent([rings])[2] <= 0 ? 360 : 0));
  return widthOf(across) < widthOf(polygons) ? across : polygons;
}

function widthOf(polygons: readonly Polygon[]): number {
  const [west, , east] = extent(polygons);
  return east - west;
}

function shifted(rings: Polygon, by: number): Polygon {
  return by === 0 ? rings : rings.map((ring) => ring.map(([longitude, latitude]): Position => [longitude! + by, latitude!]));
}

function extent(polygons: readonly Polygon[]): readonly [number, number, number, number] {
  const outlines = polygons.flatMap(([outline]) => outline!);
  const [west, east] = rangeOf(outlines, ([longitude]) => longitude!);
  const [south, north] = rangeOf(outlines, ([, latitude]) => latitude!);
  return [west, south, east, north];
}

/** The area of the outline minus the holes, in square degrees. */
function surface([outline, ...holes]: Polygon): number {
  return Math.abs(ringSurface(outline!)) - holes.reduce((sum, hole) => sum + Math.abs(ringSurface(hole)), 0);
}

function ringSurface(ring: readonly Position[]): number {
  let twice = 0;
  for (let i = 1; i < ring.length; i++) twice += ring[i - 1]![0]! * ring[i]![1]! - ring[i]![0]! * ring[i - 1]![1]!;
  return twice / 2;
}

/** What is wrong with an area, as the end of a sentence. */
class AreaMistake extends Error {}

/** Rings: the first is the outline, the others are holes. */
export type Polygon = readonly (readonly Position[])[];

function polygonsOf(geoJson: object): Polygon[] {
  const { type, coordinates, geometry, geometries, features } = geoJson as { readonly [key: string]: unknown };
  const listOf = (value: unknown): readonly unknown[] => {
    if (Array.isArray(value)) return value;
    throw new AreaMistake(`has a ${String(type)} without its list`);
  };
  if (type === 'Feature') return geometry === null ? [] : polygonsOf(asObject(geometry));
  if (type === 'FeatureCollection') return listOf(features).flatMap((each) => polygonsOf(asObject(each)));
  if (type === 'GeometryCollection') return listOf(geometries).flatMap((each) => polygonsOf(asObject(each)));
  if (type === 'Polygon') return polygon(listOf(coordinates));
  if (type === 'MultiPolygon') return listOf(coordinates).flatMap((rings) => polygon(listOf(rings)));
  throw new AreaMistake(
    `must be [west, south, east, north], { center, radiusKm }, or GeoJSON with an area; ` +
      `${JSON.stringify(type) ?? 'what was given'} has none`,
  );
}

function asObject(value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  throw new AreaMistake(`holds ${JSON.stringify(value)} where GeoJSON has an object`);
}

function polygon(rings: readonly unknown[]): Polygon[] {
  return rings.length === 0 ? [] : [rings.map(checkedRing)];
}

function checkedRing(ring: unknown): readonly Position[] {
  if (!Array.isArray(ring) || ring.length < 4) throw new AreaMistake('has a ring of fewer than four positions');
  const positions = ring as readonly Position[];
  let before: number | undefined;
  for (const position of positions) {
    checkPosition(position);
    const longitude = position[0]!;
    const jump = before === undefined ? 0 : Math.abs(longitude - before);
    if (Math.abs(longitude) > 180 || (jump > 180 && jump < 360))
      throw new AreaMistake('has a ring that crosses the date line: cut it there into two polygons, as RFC 7946 says');
    before = longitude;
  }
  const [first, last] = [positions[0]!, positions.at(-1)!];
  if (first[0] !== last[0] || first[1] !== last[1]) throw new AreaMistake('has a ring that does not end where it begins');
  return positions;
}

/** Rejects a position that isn't on the earth, and says so if its two numbers must have been swapped. */
function checkPosition(position: Position): void {
  const [longitude, latitude] = position as [number, number];
  if (!Array.isArray(position) || !Number.isFinite(longitude) || !Number.isFinite(latitude)) {
    throw new AreaMistake(`holds a position that isn't [longitude, latitude]: ${JSON.stringify(position)}`);
  }
  if (Math.abs(latitude) > 90 && Math.abs(longitude) <= 90) {
    throw new AreaMistake(
      `has longitude and latitude swapped: longitude comes first, so [${longitude}, ${latitude}] must be [${latitude}, ${longitude}]`,
    );
  }
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 360) {
    throw new AreaMistake(`holds a position that is nowhere on the earth: [${longitude}, ${latitude}]`);
  }
}

/** The least and the greatest of some numbers. Not `Math.min(...)`: there may be more numbers than a call takes arguments. */
function rangeOf<T>(values: Iterable<T>, at: (value: T) => number): readonly [least: number, greatest: number] {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    const number = at(value);
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  return [least, greatest];
}
