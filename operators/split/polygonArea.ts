import { bboxClip } from '@turf/bbox-clip';
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import type { Area, Position } from './Area.ts';
import { lastLatitude, latitudeAt, mapX, mapY, type MapBox } from './mercator.ts';
import type { Polygon } from './polygonsOf.ts';
import { rangeOf } from './rangeOf.ts';

export function polygonArea(polygons: readonly Polygon[], refuse: (problem: string) => never): Area {
  if (polygons.length === 0) refuse('is empty: it has no polygon');
  const beside = sideBySide(polygons);
  const [west, south, east, north] = extent(beside);
  if (!beside.some((polygon) => surface(polygon) > 0)) refuse('has no area: its polygons are points or lines');
  if (south >= lastLatitude || north <= -lastLatitude) refuse(`lies beyond ${lastLatitude}° of latitude, where the map ends`);
  const shape = { type: 'MultiPolygon' as const, coordinates: beside.map((rings) => rings.map((ring) => ring.map((at) => [...at]))) };
  const box: MapBox = { left: mapX(west), right: mapX(Math.min(east, west + 360)), top: mapY(north), bottom: mapY(south) };
  return {
    box,
    contains(longitude, latitude) {
      const first = onBorder(longitude + 360 * Math.ceil((west - longitude) / 360 - rounding), west, east);
      return first <= east && booleanPointInPolygon([first, onBorder(latitude, south, north)], shape);
    },
    touches(tile) {
      const bounds = [tile.left * 360 - 180, latitudeAt(tile.bottom), tile.right * 360 - 180, latitudeAt(tile.top)] as const;
      const clipped = bboxClip(shape, [...bounds]).geometry;
      const parts = (clipped.type === 'Polygon' ? [clipped.coordinates] : clipped.coordinates) as Polygon[];
      const whole = (bounds[2] - bounds[0]) * (bounds[3] - bounds[1]);
      // a tile in the middle of a hole is cut out of the outline and again out of the hole
      return parts.some((rings) => rings.length > 0 && surface(rings) > whole * 1e-9);
    },
  };
}

/** A degree shifted by 360 differs from itself by less than this. */
const rounding = 1e-12 * 360;

/** A degree, or the border that it lies on but for rounding. */
function onBorder(degree: number, ...borders: readonly number[]): number {
  return borders.find((border) => Math.abs(border - degree) < rounding) ?? degree;
}

/** The same polygons, shifted by multiples of 360° so that they lie as close together as on the globe. */
function sideBySide(polygons: readonly Polygon[]): Polygon[] {
  const starts = polygons
    .map((rings) => {
      const [west, east] = rangeOf(rings[0]!, ([longitude]) => longitude!);
      const turns = Math.floor((west + 180) / 360) * 360;
      return { rings, turns, west: west - turns, east: east - turns };
    })
    .sort((a, b) => a.west - b.west);
  // cut the map at the widest gap
  const [, end] = rangeOf(starts, ({ east }) => east);
  let [cut, widest, reached] = [starts[0]!.west, starts[0]!.west + 360 - end, starts[0]!.east];
  for (const { west, east } of starts) {
    if (west - reached > widest) [cut, widest] = [west, west - reached];
    reached = Math.max(reached, east);
  }
  return starts.map(({ rings, turns, west }) => shifted(rings, (west < cut ? 360 : 0) - turns));
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
