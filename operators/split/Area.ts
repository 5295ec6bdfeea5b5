/** A part of the world. */
export interface Area {
  /** All of it lies in here. */
  readonly box: MapBox;
  /** Its outlines and holes, as rings of points on the map. */
  readonly rings: readonly MapRing[];
  /** Whether some of it lies in a rectangle of the map. */
  touches(box: MapBox): boolean;
  contains(longitude: number, latitude: number): boolean;
}

/** A closed line of points on the map, as `MapBox` measures them. */
export type MapRing = readonly (readonly [x: number, y: number])[];

/** West, south, east, north, in degrees. West is larger than east where the date line is crossed. */
export type BoxWithin = readonly [west: number, south: number, east: number, north: number];

/** All that lies within a distance of a point. */
export interface CircleWithin {
  /** Longitude first, as in GeoJSON. */
  readonly center: readonly [longitude: number, latitude: number];
  readonly radiusKm: number;
}

/** GeoJSON that has an area: a Polygon or MultiPolygon, with holes or without, a Feature of one, a FeatureCollection of several. */
export type GeoJsonWithin =
  | { readonly type: 'Polygon'; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly (readonly Position[])[])[] }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly object[] }
  | { readonly type: 'Feature'; readonly geometry: object | null }
  | { readonly type: 'FeatureCollection'; readonly features: readonly object[] };

/** Longitude, latitude. */
export type Position = readonly number[];

/** What `areaOf` makes an area of. */
export type Within = BoxWithin | CircleWithin | GeoJsonWithin;

/**
 * A rectangle of the world as web maps draw it: a square of size 1, x to the east, y to the south. A rectangle that
 * crosses the date line has an x beyond 1.
 */
export interface MapBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Where the map ends, to the north and to the south. */
export const lastLatitude = 85.0511;

/** Where a longitude is on the map, from west to east. */
export function mapX(longitude: number): number {
  return (longitude + 180) / 360;
}

/** Where a latitude is on the map, from north to south. */
export function mapY(latitude: number): number {
  const sine = Math.sin((Math.max(-lastLatitude, Math.min(lastLatitude, latitude)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/** From -180 up to 180. */
export function longitudeAt(x: number): number {
  return (x - Math.floor(x)) * 360 - 180;
}

export function latitudeAt(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}

/** How much larger the map draws this latitude than the equator. A view in kilometres grows with it. */
export function stretchAt(y: number): number {
  return Math.cosh(Math.PI * (1 - 2 * y));
}

export function pixelAt(zoom: number): number {
  return 1 / (256 * 2 ** zoom);
}
