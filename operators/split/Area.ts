import type { MapBox } from './mercator.ts';

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
