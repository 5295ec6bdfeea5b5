/** A part of the world. */
export interface Area {
  /** The rectangle around it, cut off where the map ends. */
  readonly box: MapBox;
  /** Its southern end in degrees, which may be beyond the end of the map. */
  readonly south: number;
  /** Its northern end. */
  readonly north: number;
  /** Its outlines and holes, as rings of points on the map. */
  readonly rings: readonly MapRing[];
  /** Whether a part of it lies in a rectangle of the map. */
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

/** An area as a user gives it. */
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

/** A rectangle of the map: its centre, and half of its width and height. */
export interface MapTile {
  readonly x: number;
  readonly y: number;
  readonly across: number;
  readonly down: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A square of the map: its points, or four smaller squares. */
interface Node<T> {
  points: T[];
  parts: Node<T>[] | undefined;
}

/** More points than this are divided among four smaller squares. */
const maxPoints = 16;
const maxDepth = 28;

/** Points of the map, found by rectangle. `x` may be anywhere from `left` up to `left + 1`. */
export class QuadTree<T extends Point> {
  private readonly left: number;
  private readonly root: Node<T> = { points: [], parts: undefined };

  constructor(left: number) {
    this.left = left;
  }

  add(point: T): void {
    let node = this.root;
    let depth = 0;
    for (; node.parts !== undefined; depth++) node = node.parts[this.partOf(point, depth)]!;
    node.points.push(point);
    if (node.points.length <= maxPoints || depth >= maxDepth) return;
    const { points } = node;
    node.points = [];
    node.parts = [0, 1, 2, 3].map(() => ({ points: [], parts: undefined }));
    for (const each of points) node.parts[this.partOf(each, depth)]!.points.push(each);
  }

  /** The points of a rectangle, borders included. */
  *within({ x, y, across, down }: MapTile): Generator<T, void, undefined> {
    const waiting = [{ node: this.root, left: this.left, top: 0, size: 1 }];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const { node, left, top, size } = at;
      if (left > x + across || left + size < x - across || top > y + down || top + size < y - down) continue;
      for (const point of node.points) if (Math.abs(point.x - x) <= across && Math.abs(point.y - y) <= down) yield point;
      const half = size / 2;
      node.parts?.forEach((part, index) =>
        waiting.push({ node: part, left: left + (index & 1) * half, top: top + (index >> 1) * half, size: half }),
      );
    }
  }

  /** Which of the four squares of a square at this depth has the point. */
  private partOf({ x, y }: Point, depth: number): number {
    const squares = 2 ** (depth + 1);
    return (Math.floor((x - this.left) * squares) & 1) + 2 * (Math.floor(y * squares) & 1);
  }
}
