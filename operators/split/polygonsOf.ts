import type { Position } from './Area.ts';

/** What is wrong with an area, as the end of a sentence. */
export class AreaMistake extends Error {}

/** Rings: the first is the outline, the others are holes. */
export type Polygon = readonly (readonly Position[])[];

/** The polygons in a GeoJSON object. A ring that crosses the date line is continued past 180°. */
export function polygonsOf(geoJson: object): Polygon[] {
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
    `must be [west, south, east, north], { center, radiusKm }, or GeoJSON with an area; ${JSON.stringify(type) ?? 'what was given'} has none`,
  );
}

function asObject(value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  throw new AreaMistake(`holds ${JSON.stringify(value)} where GeoJSON has an object`);
}

function polygon(rings: readonly unknown[]): Polygon[] {
  if (rings.length === 0) return [];
  const unwrapped = rings.map(unwrap);
  // holes are shifted with the outline
  const [outline, ...holes] = unwrapped as [Position[], ...Position[][]];
  return [[outline, ...holes.map((hole) => nearTo(hole, outline))]];
}

/** A ring without jumps: from 179° it continues to 181°, not to -179°. An edge right round the world stays one. */
function unwrap(ring: unknown): Position[] {
  if (!Array.isArray(ring) || ring.length < 4) throw new AreaMistake('has a ring of fewer than four positions');
  let turn = 0;
  let before: number | undefined;
  const positions = (ring as readonly Position[]).map((position) => {
    checkPosition(position);
    const [longitude, latitude] = position as [number, number];
    if (before !== undefined) {
      const jump = longitude - before;
      if (Math.abs(jump) > 180 && Math.abs(jump) < 360) turn -= 360 * Math.sign(jump);
    }
    before = longitude;
    return [longitude + turn, latitude];
  });
  const [first, last] = [positions[0]!, positions.at(-1)!];
  if (Math.abs(first[0]! - last[0]!) > 180)
    throw new AreaMistake('has a ring that goes round a pole; give a box instead, or cut it at the date line');
  if (first[0] !== last[0] || first[1] !== last[1]) throw new AreaMistake('has a ring that does not end where it begins');
  return positions;
}

function nearTo(hole: Position[], outline: readonly Position[]): Position[] {
  const turns = Math.round((middle(outline) - middle(hole)) / 360) * 360;
  return turns === 0 ? hole : hole.map(([longitude, latitude]) => [longitude! + turns, latitude!]);
}

function middle(ring: readonly Position[]): number {
  const [west, east] = rangeOf(ring, ([longitude]) => longitude!);
  return (west + east) / 2;
}

/** Rejects a position that isn't on the earth, and says so if its two numbers must have been swapped. */
export function checkPosition(position: Position): void {
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

/** The least and the greatest of some numbers. They may be more than a call takes arguments. */
export function rangeOf<T>(values: Iterable<T>, at: (value: T) => number): readonly [least: number, greatest: number] {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    const number = at(value);
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  return [least, greatest];
}
