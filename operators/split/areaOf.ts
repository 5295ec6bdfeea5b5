import type { Area, CircleWithin, Position, Within } from './Area.ts';
import { checkPosition, polygonsOf, type Polygon } from './polygonsOf.ts';
import { lastLatitude, latitudeAt, mapX, mapY, type MapBox } from './mercator.ts';
import { polygonArea } from './polygonArea.ts';

const earthKm = 6371;

/** The area that `within` describes. Throws a RangeError that says what is wrong with it. `caller` is the function that received it. */
export function areaOf(caller: string, within: Within): Area {
  const refuse = (problem: string): never => {
    throw new RangeError(`${caller}: within ${problem}`);
  };
  if (typeof within !== 'object' || within === null) {
    return refuse('must be [west, south, east, north], { center: [longitude, latitude], radiusKm }, or GeoJSON with an area');
  }
  if ('center' in within) return circle(within, refuse);
  const polygons = isBox(within) ? [boxRing(within, refuse)] : polygonsOf(within, refuse);
  return polygonArea(polygons, refuse);
}

function isBox(within: Within): within is Extract<Within, readonly unknown[]> {
  return Array.isArray(within);
}

function boxRing(box: readonly number[], refuse: (problem: string) => never): Polygon {
  const [west, south, east, north] = box as [number, number, number, number];
  if (box.length !== 4) refuse(`must be [west, south, east, north], not ${JSON.stringify(box)}`);
  checkPosition([west, south], refuse);
  checkPosition([east, north], refuse);
  if (south >= north) refuse(`must have its south below its north: [west, south, east, north], not ${JSON.stringify(box)}`);
  const right = west > east ? east + 360 : east;
  const corners: Position[] = [[west, south], [right, south], [right, north], [west, north], [west, south]]; // prettier-ignore
  return [corners];
}

function circle({ center, radiusKm }: CircleWithin, refuse: (problem: string) => never): Area {
  if (!Array.isArray(center)) refuse('has no center: give [longitude, latitude]');
  if (!(radiusKm > 0 && radiusKm <= 5000)) refuse(`must have a radiusKm above 0 and up to 5000, not ${String(radiusKm)}`);
  checkPosition(center, refuse);
  const [longitude, latitude] = center;
  const up = (radiusKm / earthKm) * (180 / Math.PI);
  if (Math.abs(latitude) + up > lastLatitude) refuse(`must stay within ${lastLatitude}° of latitude, where the map ends`);
  const across = up / Math.cos(((Math.abs(latitude) + up) * Math.PI) / 180);
  const box: MapBox = {
    left: mapX(longitude - across),
    right: mapX(longitude + across),
    top: mapY(latitude + up),
    bottom: mapY(latitude - up),
  };
  const near = (east: number, north: number): boolean => distanceKm(longitude, latitude, east, north) <= radiusKm * (1 + 1e-12);
  return {
    box,
    contains: near,
    touches(tile) {
      // the point of the tile that is nearest to the centre
      const x = Math.max(tile.left, Math.min(tile.right, mapX(longitude)));
      const y = Math.max(tile.top, Math.min(tile.bottom, mapY(latitude)));
      return near(x * 360 - 180, latitudeAt(y));
    },
  };
}

function distanceKm(fromLongitude: number, fromLatitude: number, toLongitude: number, toLatitude: number): number {
  const radians = Math.PI / 180;
  const across = Math.sin(((toLongitude - fromLongitude) * radians) / 2);
  const up = Math.sin(((toLatitude - fromLatitude) * radians) / 2);
  const share = up ** 2 + Math.cos(fromLatitude * radians) * Math.cos(toLatitude * radians) * across ** 2;
  return 2 * earthKm * Math.asin(Math.sqrt(Math.min(1, share)));
}
