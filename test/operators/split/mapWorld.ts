import { mapX, mapY } from '../../../operators/split/Area.ts';
import type { Within } from '../../../operators/index.ts';
import { seeded } from '../../files/seeded.ts';

/** A row of a search. */
export interface Spot {
  readonly data_id?: string;
  readonly gps_coordinates?: { readonly latitude: number; readonly longitude: number };
}

/** A map search: what it has within an area, and what it returns for `@latitude,longitude,zoom z`. */
export interface MapWorld {
  readonly within: Within;
  /** The ids of all places in the area. */
  readonly ids: readonly string[];
  search(ll: string): readonly Spot[];
}

export interface MapWorldOptions {
  readonly within: Within;
  /** Longitude and latitude. The first places rank best. */
  readonly places: readonly (readonly [longitude: number, latitude: number])[];
  /** Places outside the area, which a search returns too. */
  readonly others?: readonly (readonly [longitude: number, latitude: number])[];
  /** Rows of a search, at most. */
  readonly cap?: number | undefined;
  /** Pixels that a search sees, across and down. */
  readonly view?: readonly [number, number] | undefined;
  /** The nearest to the centre come first, instead of a fixed order. */
  readonly near?: boolean | undefined;
  /** What a view is measured in. On a map, degrees of latitude and kilometres are larger near the poles. @default 'pixels' */
  readonly unit?: 'pixels' | 'degrees' | 'km' | undefined;
  /** An ellipse touches the edges of the rectangle. A circle is one as wide as high. @default 'rectangle' */
  readonly shape?: 'rectangle' | 'ellipse' | undefined;
  /** So many rows from beyond the view follow, the nearest first: the same number each time, or up to so many. */
  readonly beyond?: { readonly rows: number; readonly varies: boolean } | undefined;
  /** So many of the other places come first in each search, wherever it looks. */
  readonly everywhere?: number | undefined;
}

/** A search that returns every place in its view, up to its cap. */
export function mapWorld({
  within,
  places,
  others = [],
  cap = 120,
  view = [1024, 768],
  near = false,
  unit = 'pixels',
  shape = 'rectangle',
  beyond = { rows: 0, varies: false },
  everywhere = 0,
}: MapWorldOptions): MapWorld {
  const spots = [...places, ...others]
    .map(([longitude, latitude], index) => ({
      row: { data_id: `p${index}`, gps_coordinates: { latitude, longitude } },
      x: mapX(longitude),
      y: mapY(latitude),
      latitude,
      rank: near ? 0 : (index * 7919) % 10007,
    }))
    .sort((a, b) => a.rank - b.rank);
  const first = spots.filter(({ row }) => Number(row.data_id.slice(1)) >= places.length).slice(0, everywhere).map(({ row }) => row); // prettier-ignore
  /** The rows of each search: a walk asks for them with each of its pages. */
  const found = new Map<string, readonly Spot[]>();
  return {
    within,
    ids: places.map((_, index) => `p${index}`).toSorted(),
    search(ll) {
      const known = found.get(ll);
      if (known !== undefined) return known;
      const { x, y, latitude, pixels } = viewOf(ll);
      const narrow = unit === 'km' ? Math.cos((latitude * Math.PI) / 180) : 1;
      const seen: { readonly row: Spot; readonly far: number }[] = first.map((row) => ({ row, far: -1 }));
      const outside: typeof seen = [];
      for (const spot of spots) {
        if (!near && beyond.rows === 0 && seen.length === cap) break; // those that rank best
        if (everywhere > 0 && first.includes(spot.row)) continue;
        const right = Math.abs(spot.x - x - Math.round(spot.x - x)) * pixels * narrow;
        const down = (unit === 'pixels' ? Math.abs(spot.y - y) : Math.abs(spot.latitude - latitude) / 360) * pixels;
        const [across, along] = [(2 * right) / view[0], (2 * down) / view[1]];
        const isSeen = (shape === 'ellipse' ? across ** 2 + along ** 2 : Math.max(across, along)) <= 1;
        (isSeen ? seen : outside).push({ row: spot.row, far: right ** 2 + down ** 2 });
      }
      if (near) seen.sort((a, b) => a.far - b.far);
      const strays = outside
        .sort((a, b) => a.far - b.far)
        .slice(0, beyond.varies ? Math.floor(Math.abs(latitude) * 1e6) % (beyond.rows + 1) : beyond.rows);
      const rows = [...seen.slice(0, cap), ...strays].map(({ row }) => row);
      found.set(ll, rows);
      return rows;
    },
  };
}

/** The centre of a search on a map of size 1, and the pixels of that map at its zoom. */
export function viewOf(ll: string): { readonly x: number; readonly y: number; readonly latitude: number; readonly pixels: number } {
  const [latitude = 0, longitude = 0, zoom = 0] = ll.slice(1).split(',').map(Number.parseFloat);
  return { x: mapX(longitude), y: mapY(latitude), latitude, pixels: 256 * 2 ** zoom };
}

type Box = readonly [west: number, south: number, east: number, north: number];

export const scattered = (count: number, [west, south, east, north]: Box, seed: number): (readonly [number, number])[] => {
  const random = seeded(seed);
  return Array.from({ length: count }, () => [west + random() * (east - west), south + random() * (north - south)] as const);
};
/** Places on the lines of a grid, the borders of the area among them. */
export const onLines = (columns: number, rows: number, [west, south, east, north]: Box): (readonly [number, number])[] =>
  Array.from({ length: columns * rows }, (_, index) => [
    west + ((index % columns) * (east - west)) / (columns - 1),
    south + (Math.floor(index / columns) * (north - south)) / (rows - 1),
  ]);
/** Places close together around a few points. */
export const inTowns = (towns: number, size: number, box: Box, seed: number, radius = 0.05): (readonly [number, number])[] => {
  const random = seeded(seed);
  const around = (at: number): number => at + (random() + random() - 1) * radius;
  return scattered(towns, [box[0] + 0.1, box[1] + 0.1, box[2] - 0.1, box[3] - 0.1], seed).flatMap(([x, y]) =>
    Array.from({ length: size }, () => [around(x), around(y)] as const),
  );
};

export const boxes = {
  grid: [13.1, 52.3, 13.9, 52.9],
  towns: [6, 47, 14, 54],
  world: [-180, -85, 180, 85],
  pole: [10, 82, 40, 84.9],
  corner: [0, 40, 20, 55],
} as const satisfies { readonly [name: string]: Box };

/** Searches that show all that is in their view. Whoever covers their area has to find every place. */
export const clearWorlds: { readonly [name: string]: (shape?: Pick<MapWorldOptions, 'view' | 'near' | 'unit'>) => MapWorld } = {
  'a grid on lines': (shape) => mapWorld({ ...shape, within: boxes.grid, places: onLines(30, 24, boxes.grid) }),
  towns: (shape) => mapWorld({ ...shape, within: boxes.towns, places: inTowns(19, 12, boxes.towns, 5) }),
  'crowded towns': (shape) => mapWorld({ ...shape, within: boxes.towns, places: inTowns(4, 150, boxes.towns, 6) }),
  'a world': (shape) => mapWorld({ ...shape, within: boxes.world, places: scattered(400, boxes.world, 7) }),
  'near the pole': (shape) => mapWorld({ ...shape, within: boxes.pole, places: scattered(300, boxes.pole, 8) }),
  'around the pole': (shape) => mapWorld({ ...shape, within: [-180, 80, 180, 85], places: scattered(300, [-180, 80, 180, 85], 8) }),
  'a corner': (shape) => mapWorld({ ...shape, within: boxes.corner, places: scattered(300, [0, 40, 0.4, 40.3], 9) }),
};

/** One of many searches that show all that is in their view: another area, view, cap, order and spread of places for each seed. */
export function cleanWorld(seed: number): MapWorld {
  const random = seeded(seed);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const size = one([0.4, 2, 8]);
  const [west, south] = [random() * 100 - 60, random() * 90 - 40];
  const within: Box = [west, south, west + size, south + size * 0.7];
  const count = one([60, 200, 600]);
  const places = one([scattered(count, within, seed), inTowns(Math.ceil(count / 40), 40, within, seed, size / 80)]);
  const view = one([[1024, 768], [800, 600], [512, 512], [600, 900]] as const); // prettier-ignore
  return mapWorld({ within, places, view, cap: one([60, 100, 120, 200]), near: random() < 0.5 });
}

/** One of many searches whose view has any shape, and which return rows from beyond it. `changes`: what is otherwise. Some have more places at a point than they return. */
export function oddWorld(seed: number, changes: Partial<MapWorldOptions> = {}): MapWorld {
  const random = seeded(seed * 7 + 3);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const size = one([0.2, 1, 6]);
  const [west, south] = [random() * 100 - 60, random() * 90 - 40];
  const within: Box = [west, south, west + size, south + size * 0.7];
  const isInside = ([x, y]: Position): boolean => x >= within[0] && x <= within[2] && y >= within[1] && y <= within[3];
  const count = one([60, 150, 400, 700]);
  const points = scattered(Math.max(1, Math.ceil(count * one([0.05, 0.3, 0.5]))), within, seed);
  const side = Math.ceil(Math.sqrt(count));
  const places = one<() => readonly Position[]>([
    () => scattered(count, within, seed),
    () => inTowns(Math.ceil(count / 40), 40, within, seed, size / 80).filter(isInside),
    () => Array.from({ length: count }, () => random()).map((at) => [west + at * size, south + at * size * 0.7] as const),
    () => onLines(side, side, within),
    () => Array.from({ length: count }, () => one(points)),
  ])();
  const wide: Box = [west - size, south - size, west + 2 * size, south + 2 * size];
  const others = scattered(one([0, 40]), wide, seed + 5).filter((at) => !isInside(at));
  const shape = one(['rectangle', 'ellipse'] as const);
  const view = one([[1024, 768], [800, 600], [512, 512], [600, 900], [320, 320]] as const); // prettier-ignore
  const beyond = { rows: one([0, 1, 2, 4]), varies: random() < 0.5 };
  return mapWorld({ within, places, others, view, shape, beyond, cap: one([20, 40, 60, 100, 120]), near: random() < 0.4, ...changes });
}

type Position = readonly [longitude: number, latitude: number];

const rowOf = ([longitude, latitude]: Position, id: string | number): Spot => ({
  data_id: String(id),
  gps_coordinates: { latitude, longitude },
});
const same = (rows: readonly Spot[], within: Within): MapWorld => ({ within, ids: [], search: () => rows });
const city: Box = [13.1, 52.35, 13.75, 52.7];
const far: Box = [-74.1, 40.6, -73.8, 40.9];

/** Searches whose view tells nothing, or too little. They can't be covered. */
export const strangeWorlds: { readonly [name: string]: (seed: number, count: number) => MapWorld } = {
  'the same rows for every view': (seed, count) => same(scattered(count, city, seed).map(rowOf), city),
  'the same rows for every view, in a large area': (seed, count) => same(scattered(count, city, seed).map(rowOf), boxes.towns),
  'the same rows for every view, at one point': (_, count) =>
    same(
      Array.from({ length: count }, (_, id) => rowOf([13.4, 52.52], id)),
      city,
    ),
  'rows far outside': (seed, count) => same(scattered(count, far, seed).map(rowOf), city),
  'rows without coordinates': (_, count) =>
    same(
      Array.from({ length: count }, (_, id) => ({ data_id: String(id) })),
      city,
    ),
  'new rows without coordinates for every view': (seed, count) => ({
    within: city,
    ids: [],
    search: (ll) => Array.from({ length: count }, (_, index) => ({ data_id: `${seed} ${ll} ${index}` })),
  }),
  'rows with one id': (seed, count) => {
    const world = mapWorld({ within: city, places: scattered(count * 20, city, seed), cap: count });
    return { within: city, ids: [], search: (ll) => world.search(ll).map((row) => ({ ...row, data_id: 'one' })) };
  },
  'random rows of the area': (seed, count) => {
    const random = seeded(seed);
    const rows = scattered(5000, city, seed).map(rowOf);
    const seen = new Map<string, readonly Spot[]>();
    return { within: city, ids: [], search: (ll) => remembered(seen, ll, () => rows.toSorted(() => random() - 0.5).slice(0, count)) };
  },
  'random rows, new ones each time': (seed, count) => {
    const seen = new Map<string, readonly Spot[]>();
    let next = seed;
    return {
      within: city,
      ids: [],
      search: (ll) => remembered(seen, ll, () => scattered(count, city, next++).map((at, index) => rowOf(at, `${next} ${index}`))),
    };
  },
  'random rows of the world': (seed, count) => {
    const seen = new Map<string, readonly Spot[]>();
    let next = seed;
    return {
      within: city,
      ids: [],
      search: (ll) => remembered(seen, ll, () => scattered(count, boxes.world, next++).map((at, index) => rowOf(at, `${next} ${index}`))),
    };
  },
};

/** More places at one point than a search returns, and others around. All but those at the point can be found. */
export const crowdedWorlds: { readonly [name: string]: (seed: number, count: number) => MapWorld } = {
  'an office block': (seed, count) => crowdedWorld(seed, count, [13.41234, 52.51987]),
  'a point in the middle': (seed, count) => crowdedWorld(seed, count, [(city[0] + city[2]) / 2, (city[1] + city[3]) / 2]),
  'an office block alone': (_, count) => crowdedWorld(0, count, [13.41234, 52.51987], 0),
  'an office block in a large country': (seed, count) => crowdedWorld(seed, count, [13.41234, 52.51987], 200, boxes.towns),
};

function crowdedWorld(seed: number, count: number, point: Position, others = 200, within: Box = city): MapWorld {
  const around = scattered(others, within, seed);
  const world = mapWorld({ within, places: [...around, ...Array.from({ length: count }, () => point)], cap: 120 });
  return { ...world, ids: around.map((_, index) => `p${index}`).toSorted() };
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  if (!known.has(key)) known.set(key, make());
  return known.get(key)!;
}
