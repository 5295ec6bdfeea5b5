import { lastValueFrom, take, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { coverArea, type CoverAreaOptions, items, type SplitSummary, type Within } from '../../../operators/index.ts';
import type { MapOptions } from '../../../src/sandbox/world/mapOptions.ts';
import { areaOf } from '../../../operators/split/areaOf.ts';
import { type Found, type MapFactory, mapFactory, type MapQuery } from './mapFactory.ts';
import { ofTheDay } from '../../ofTheDay.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const germany: Within = [6, 47.5, 14.5, 54.5];
const land: MapOptions = { within: [6, 47.5, 14.5, 54.5], places: 5000 };

interface Covered {
  readonly rows: Found[];
  readonly summary: SplitSummary<MapQuery>;
}

async function cover(factory: MapFactory, options: Partial<CoverAreaOptions<MapQuery>> & { readonly within: Within }): Promise<Covered> {
  const summaries: SplitSummary<MapQuery>[] = [];
  const all = coverArea(factory, { query: 'coffee', ...options, summary: { next: (each) => summaries.push(each) } });
  const rows = await lastValueFrom(all.pipe(items(), toArray()));
  return { rows, summary: summaries[0]! };
}

const ids = (rows: readonly Found[]): string[] => rows.map((row) => row.data_id).toSorted();
const inBox = (all: readonly Found[], [west, south, east, north]: readonly number[]): Found[] =>
  all.filter(({ gps_coordinates: { latitude, longitude } }) => {
    return longitude >= west! && longitude <= east! && latitude >= south! && latitude <= north!;
  });

describe('coverArea', () => {
  it('finds every place of a region, each once, for less than half a request each', async () => {
    const within = [6, 47.5, 10.5, 51.5] as const;
    const factory = mapFactory({ within, places: 1500 });
    const { rows, summary } = await cover(factory, { within });
    const all = inBox(factory.all('coffee'), within);
    expect(all.length).toBeGreaterThan(1200);
    expect(ids(rows)).toEqual(ids(all));
    expect(factory.requests.length).toBeLessThan(all.length * 0.5);
    expect(summary).toMatchObject({ rows: rows.length, full: [] });
    expect(summary.outside).toBeGreaterThan(0);
  });

  /** With the requests for each place, if they are more than 0.85. */
  const maps: [string, MapOptions, number?][] = [
    ['a view as small as a tile', { ...land, view: [256, 256] }],
    ['a view that is higher than wide', { ...land, view: [400, 800] }],
    ['a large view', { ...land, view: [1920, 1080] }],
    ['no rows from beyond the view', { ...land, beyond: 0 }],
    ['many rows from beyond the view', { ...land, beyond: 0.3 }],
    ['a cap of 60', { ...land, cap: 60 }],
    ['a cap of 50, in the middle of a page', { ...land, cap: 50 }, 1.05],
    ['a cap of 200', { ...land, cap: 200 }],
    ['few places', { ...land, places: 150 }],
  ];
  it.each(ofTheDay(maps, 1))('learns by itself how a service searches: %s', async (_, map, most = 0.85) => {
    for (const seed of long ? ['one', 'two'] : ['one']) {
      const factory = mapFactory(map, seed);
      const { rows } = await cover(factory, { within: germany });
      const all = inBox(factory.all('coffee'), [6, 47.5, 14.5, 54.5]);
      expect(new Set(ids(rows)).size).toBe(rows.length);
      expect(rows.length).toBeGreaterThanOrEqual(all.length * 0.99);
      expect(factory.requests.length).toBeLessThan(all.length * most + 120);
    }
  });

  it('takes from the operation how far a search sees, if that says it, and learns nothing', async () => {
    const map: MapOptions = { ...land, view: [768, 512] };
    const [learnt, told] = [mapFactory(map), mapFactory(map)];
    const spec = told.spec!;
    const area = { ...spec.splits!.area!, sight: [3, 2] as const };
    Object.assign(told, { spec: { ...spec, splits: { ...spec.splits, area } } });
    const found = await cover(told, { within: germany });
    await cover(learnt, { within: germany });
    expect(ids(found.rows)).toEqual(ids(inBox(told.all('coffee'), [6, 47.5, 14.5, 54.5])));
    expect(told.requests.length).toBeLessThan(learnt.requests.length);
    expect(told.requests[0]!.ll).not.toBe(learnt.requests[0]!.ll);
  });

  it('costs few requests for empty country', async () => {
    const factory = mapFactory(land);
    expect((await cover(factory, { within: [-40, 20, -37, 22] })).rows).toEqual([]);
    expect(factory.requests).toHaveLength(1);
    const beside = mapFactory(land);
    expect((await cover(beside, { within: [-5, 47.5, 5, 54.5] })).rows).toEqual([]);
    expect(beside.requests.length).toBeLessThan(225);
  });

  it('leaves out what lies outside, in a hole for example, unless clip is false', async () => {
    const ring = (west: number, south: number, east: number, north: number): number[][] => [[west, south], [east, south], [east, north], [west, north], [west, south]]; // prettier-ignore
    const within: Within = { type: 'Polygon', coordinates: [ring(12, 51, 14, 53), ring(13, 52.2, 13.8, 52.8)] };
    const factory = mapFactory(land);
    const all = inBox(factory.all('coffee'), [12, 51, 14, 53]);
    const expected = all.filter((place) => inBox([place], [13, 52.2, 13.8, 52.8]).length === 0);
    expect(expected.length).toBeGreaterThan(50);
    expect(expected.length).toBeLessThan(all.length);
    const { rows, summary } = await cover(factory, { within });
    expect(ids(rows)).toEqual(ids(expected));
    expect(summary.outside).toBeGreaterThan(0);
    const unclipped = await cover(mapFactory(land), { within, clip: false });
    expect(unclipped.rows.length).toBeGreaterThan(rows.length);
    expect(unclipped.summary.outside).toBe(0);
  });

  it('covers an area across the date line, however it is written', async () => {
    const map: MapOptions = { places: 30_000 };
    const all = mapFactory(map)
      .all('coffee')
      .filter(({ gps_coordinates: { latitude, longitude } }) => {
        return latitude >= -19 && latitude <= -17 && (longitude >= 178 || longitude <= -179);
      });
    expect(all.length).toBeGreaterThan(50);
    const square = (west: number, east: number): number[][][] => [[[west, -19], [east, -19], [east, -17], [west, -17], [west, -19]]]; // prettier-ignore
    const forms: Within[] = [[178, -19, -179, -17], { type: 'MultiPolygon', coordinates: [square(178, 180), square(-180, -179)] }];
    for (const within of forms) {
      const factory = mapFactory(map);
      expect(ids((await cover(factory, { within })).rows)).toEqual(ids(all));
      expect(factory.requests.length).toBeLessThan(200);
    }
  });

  it('covers a circle', async () => {
    const factory = mapFactory(land);
    const { rows } = await cover(factory, { within: { center: [13.4, 52.52], radiusKm: 5 } });
    const near = factory.all('coffee').filter(({ gps_coordinates: { latitude, longitude } }) => {
      return Math.hypot((longitude - 13.4) * 111.2 * Math.cos((52.52 * Math.PI) / 180), (latitude - 52.52) * 111.2) <= 5;
    });
    expect(near.length).toBeGreaterThan(20);
    expect(Math.abs(rows.length - near.length)).toBeLessThanOrEqual(1);
  });

  it('says what stayed full at the greatest zoom, in the summary and to the operation', async () => {
    const factory = mapFactory(land);
    const { summary } = await cover(factory, { within: [13, 52.3, 13.8, 52.7], zoom: [8, 11] });
    expect(summary.full.length).toBeGreaterThan(0);
    for (const { ll } of summary.full) expect(ll).toMatch(/,11z$/);
    expect(factory.events.filter((event) => event.type === 'capped' && event.limit === 'full')).toHaveLength(summary.full.length);
    expect(Math.max(...factory.requests.map(({ ll }) => Number(/(\d+)z$/.exec(ll!)?.[1])))).toBe(11);
  });

  it('runs over several queries, and reuses the view it found out', async () => {
    const factory = mapFactory({ ...land, places: 1000 });
    const { rows } = await cover(factory, { within: germany, query: ['coffee', { query: 'tea' }] });
    expect(new Set(factory.requests.map(({ query }) => query))).toEqual(new Set(['coffee', 'tea']));
    const both = ['coffee', 'tea'].flatMap((query) => inBox(factory.all(query), [6, 47.5, 14.5, 54.5]));
    expect(ids(rows)).toEqual(ids(both));
  });

  it('stops requesting when it is unsubscribed', async () => {
    const factory = mapFactory(land);
    await lastValueFrom(coverArea(factory, { within: germany, query: 'coffee' }).pipe(take(3)));
    expect(factory.requests).toHaveLength(3);
  });

  it.each<[string, unknown]>([
    ['is empty', { type: 'Polygon', coordinates: [] }],
    ['is empty', { type: 'FeatureCollection', features: [] }],
    ['has no area', { type: 'Polygon', coordinates: [[[13, 52], [13, 52], [13, 52], [13, 52]]] }],
    ['"Point" has none', { type: 'Point', coordinates: [13, 52] }],
    ['longitude comes first, so [35.6, 139.7] must be [139.7, 35.6]', { type: 'Polygon', coordinates: [[[35.6, 139.7], [35.7, 139.7], [35.7, 139.8], [35.6, 139.7]]] }],
    ['longitude comes first', { center: [35.6, 139.7], radiusKm: 3 }],
    ['longitude comes first', [35.6, 139.7, 35.7, 139.8]],
    ['nowhere on the earth', { center: [500, 200], radiusKm: 3 }],
    ['where the map ends', { type: 'Polygon', coordinates: [[[0, 86], [10, 86], [10, 89], [0, 86]]] }],
    ['crosses the date line', { type: 'Polygon', coordinates: [[[0, 80], [120, 80], [-120, 80], [0, 80]]] }],
    ['does not end where it begins', { type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1], [0, 1]]] }],
    ['fewer than four positions', { type: 'Polygon', coordinates: [[[0, 0], [1, 0], [0, 0]]] }],
    ['south below its north', [13, 52.7, 14, 52.3]],
    ['radiusKm above 0', { center: [13, 52], radiusKm: 0 }],
    ['must be [west, south, east, north]', 'berlin'],
  ])('refuses an area that %s', (problem, within) => {
    expect(() => coverArea(mapFactory(land), { within: within as Within, query: 'coffee' })).toThrow(RangeError);
    expect(() => coverArea(mapFactory(land), { within: within as Within, query: 'coffee' })).toThrow(problem);
  }); // prettier-ignore

  it('takes an outline of 200,000 positions, and an area of 100,000 polygons', async () => {
    const around = (step: number): number[] => [
      13.4 + 0.4 * Math.cos((2 * Math.PI * step) / 200_000),
      52.5 + 0.2 * Math.sin((2 * Math.PI * step) / 200_000),
    ];
    const ring = [...Array.from({ length: 200_000 }, (_, step) => around(step)), around(0)];
    const squares = Array.from({ length: 100_000 }, (_, index): number[][][] => {
      const [west, south] = [13 + (index % 400) * 0.002, 52.3 + Math.floor(index / 400) * 0.0016] as const;
      return [
        [
          [west, south],
          [west + 0.001, south],
          [west + 0.001, south + 0.001],
          [west, south],
        ],
      ];
    });
    const large: Within[] = [
      { type: 'Polygon', coordinates: [ring] },
      { type: 'MultiPolygon', coordinates: squares },
    ];
    for (const within of ofTheDay(large, 1)) {
      const pages = coverArea(mapFactory({ ...land, places: 100 }), { within, query: 'coffee' });
      expect(await lastValueFrom(pages.pipe(take(1), toArray()))).toHaveLength(1);
    }
  });

  it('refuses GeoJSON that crosses the date line, and says what to do', () => {
    for (const east of [181, -179]) {
      const ring = [[178, -19], [east, -19], [east, -17], [178, -17], [178, -19]]; // prettier-ignore
      const crossing = { type: 'Polygon', coordinates: [ring] } as Within;
      expect(() => areaOf('cover', crossing)).toThrow(
        'cover: within has a ring that crosses the date line: cut it there into two polygons',
      );
    }
  });

  it('counts a place exactly on the border as inside', () => {
    const box = areaOf('test', [13.1, 52.3, 13.9, 52.9]);
    const beyond = areaOf('test', [179.9, -18.3, -179.7, -17.1]);
    for (const [longitude, latitude] of [
      [13.1, 52.3],
      [13.9, 52.9],
      [13.5, 52.9],
      [13.1, 52.7],
      [13.3, 52.3],
    ] as const)
      expect(box.contains(longitude, latitude)).toBe(true);
    for (const [longitude, latitude] of [
      [179.9, -18.3],
      [-179.7, -17.1],
      [-179.7, -18],
      [180, -17.1],
      [-180, -17.1],
    ] as const)
      expect(beyond.contains(longitude, latitude)).toBe(true);
    expect(box.contains(13.1 - 1e-9, 52.5)).toBe(false);
    expect(beyond.contains(-179.7 + 1e-9, -18)).toBe(false);
  });

  it('reaches to the end of the map, but not past it', async () => {
    const far = mapFactory({ within: [20, 69, 26, 71], places: 300 });
    const { rows } = await cover(far, { within: [20, 69, 26, 89.9] });
    expect(ids(rows)).toEqual(ids(inBox(far.all('coffee'), [20, 69, 26, 90])));
  });
});
