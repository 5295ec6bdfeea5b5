import type { Position } from './Area.ts';
import { rangeOf } from './rangeOf.ts';

/** Rings: the first is the outline, the others are holes. */
export type Polygon = readonly (readonly Position[])[];

/** The polygons in a GeoJSON object. A ring that crosses the date line is continued past 180°. */
export function polygonsOf(geoJson: object, refuse: (problem: string) => never): Polygon[] {
  const { type, coordinates, geometry, geometries, features } = geoJson as { readonly [key: string]: unknown };
  const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : refuse(`has a ${String(type)} without its list`));
  if (type === 'Feature') return geometry === null ? [] : polygonsOf(asObject(geometry, refuse), refuse);
  if (type === 'FeatureCollection') return listOf(features).flatMap((each) => polygonsOf(asObject(each, refuse), refuse));
  if (type === 'GeometryCollection') return listOf(geometries).flatMap((each) => polygonsOf(asObject(each, refuse), refuse));
  if (type === 'Polygon') return polygon(listOf(coordinates), refuse);
  if (type === 'MultiPolygon') return listOf(coordinates).flatMap((rings) => polygon(listOf(rings), refuse));
  return refuse(
    `must be [west, south, east, north], { center, radiusKm }, or GeoJSON with an area; ${JSON.stringify(type) ?? 'what was given'} has none`,
  );
}

function asObject(value: unknown, refuse: (problem: string) => never): object {
  return typeof value === 'object' && value !== null ? value : refuse(`holds ${JSON.stringify(value)} where GeoJSON has an object`);
}

function polygon(rings: readonly unknown[], refuse: (problem: string) => never): Polygon[] {
  if (rings.length === 0) return [];
  const unwrapped = rings.map((ring) => unwrap(ring, refuse));
  // holes are shifted with the outline
  const [outline, ...holes] = unwrapped as [Position[], ...Position[][]];
  return [[outline, ...holes.map((hole) => nearTo(hole, outline))]];
}

/** A ring without jumps: from 179° it continues to 181°, not to -179°. An edge right round the world stays one. */
function unwrap(ring: unknown, refuse: (problem: string) => never): Position[] {
  if (!Array.isArray(ring) || ring.length < 4) return refuse('has a ring of fewer than four positions');
  let turn = 0;
  let before: number | undefined;
  const positions = (ring as readonly Position[]).map((position) => {
    checkPosition(position, refuse);
    const [longitude, latitude] = position as [number, number];
    if (before !== undefined) {
      const jump = longitude - before;
      if (Math.abs(jump) > 180 && Math.abs(jump) < 360) turn -= 360 * Math.sign(jump);
    }
    before = longitude;
    return [longitude + turn, latitude];
  });
  const [first, last] = [positions[0]!, positions.at(-1)!];
  if (Math.abs(first[0]! - last[0]!) > 180) refuse('has a ring that goes round a pole; give a box instead, or cut it at the date line');
  if (first[0] !== last[0] || first[1] !== last[1]) refuse('has a ring that does not end where it begins');
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
export function checkPosition(position: Position, refuse: (problem: string) => never): void {
  const [longitude, latitude] = position as [number, number];
  if (!Array.isArray(position) || !Number.isFinite(longitude) || !Number.isFinite(latitude)) {
    refuse(`holds a position that isn't [longitude, latitude]: ${JSON.stringify(position)}`);
  }
  if (Math.abs(latitude) > 90 && Math.abs(longitude) <= 90) {
    refuse(`has longitude and latitude swapped: longitude comes first, so [${longitude}, ${latitude}] must be [${latitude}, ${longitude}]`);
  }
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 360) {
    refuse(`holds a position that is nowhere on the earth: [${longitude}, ${latitude}]`);
  }
}
