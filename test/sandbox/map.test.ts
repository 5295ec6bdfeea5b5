import { describe, expect, it } from 'vitest';
import { mapsSearchData } from '../../src/sandbox/responses/mapsData.ts';
import type { MapOptions } from '../../src/sandbox/world/mapOptions.ts';
import { World } from '../../src/sandbox/world/World.ts';

interface Place {
  readonly data_id: string;
  readonly gps_coordinates: { readonly latitude: number; readonly longitude: number };
}

const worldWith = (map: MapOptions = {}, day = 0): World => new World({ seed: 'trawler', now: () => 0, map, day });
const germany: MapOptions = { within: [6, 47.5, 14.5, 54.5], places: 5000 };

/** All pages of a search. */
function search(world: World, ll: string, query = 'coffee'): Place[] {
  const rows: Place[] = [];
  for (let page = 0; ; page += 20) {
    const { search_results: found } = mapsSearchData({ query, ll, page }, world) as { search_results: Place[] };
    if (found.length === 0) return rows;
    rows.push(...found);
  }
}

/** How far a place is from the middle of a view, in pixels at the zoom. */
function pixels({ gps_coordinates: { latitude, longitude } }: Place, at: readonly [number, number], zoom: number): [number, number] {
  const y = (degrees: number): number => Math.log(Math.tan(Math.PI / 4 + (degrees * Math.PI) / 360)) / (2 * Math.PI);
  const size = 256 * 2 ** zoom;
  return [((longitude - at[1]) / 360) * size, (y(latitude) - y(at[0])) * size];
}

describe('the map of the sandbox', () => {
  it('returns every place in the view, and a few from just outside', () => {
    const world = worldWith({ ...germany, cap: 100_000 });
    const all = search(world, '@51,10,3z');
    const here = search(world, '@52.52,13.4,14z');
    const inView = (place: Place, zoom: number, factor = 1): boolean => {
      const [x, y] = pixels(place, [52.52, 13.4], zoom);
      return Math.abs(x) <= 512 * factor && Math.abs(y) <= 384 * factor;
    };
    const ids = new Set(here.map((place) => place.data_id));
    expect(all.filter((place) => inView(place, 14) && !ids.has(place.data_id))).toEqual([]);
    const beyond = here.filter((place) => !inView(place, 14));
    expect(beyond.length).toBeGreaterThan(0);
    expect(beyond.length).toBeLessThan(here.length / 5);
    for (const place of beyond) expect(inView(place, 14, 1.5)).toBe(true);
  });

  it('gives at most a cap of places, the best of them, twenty a page', () => {
    const world = worldWith(germany);
    expect(search(world, '@52.52,13.4,13z')).toHaveLength(120);
    expect(search(worldWith({ ...germany, cap: 50 }), '@52.52,13.4,13z')).toEqual(search(world, '@52.52,13.4,13z').slice(0, 50));
    expect((mapsSearchData({ query: 'coffee', ll: '@52.52,13.4,13z' }, world) as { search_results: Place[] }).search_results).toHaveLength(
      20,
    );
  });

  it('has about as many places as told, most of them in few towns, and empty country', () => {
    const world = worldWith(germany);
    const spots = world.geography.all('coffee');
    expect(spots.length).toBeGreaterThan(4000);
    expect(spots.length).toBeLessThan(6000);
    // of 400 squares of the region the fullest 20 have most of the places, and many have none
    const squares = new Map<string, number>();
    for (const { x, y } of spots) {
      const key = `${Math.floor((x - 0.5166) * 850)} ${Math.floor((y - 0.31) * 850)}`;
      squares.set(key, (squares.get(key) ?? 0) + 1);
    }
    const fullest = [...squares.values()].sort((a, b) => b - a).slice(0, 20);
    expect(fullest.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(spots.length / 2);
    expect(squares.size).toBeLessThan(200);
  });

  it('has 50,000 places when asked to', () => {
    expect(worldWith({ ...germany, places: 50_000 }).geography.all('tea').length).toBeGreaterThan(40_000);
  });

  it('works across the date line', () => {
    const world = worldWith({ places: 20_000 });
    const [west, east] = [search(world, '@-18.14,180,8z'), search(world, '@-18.14,-180,8z')];
    expect(west.length).toBeGreaterThan(10);
    const both = west.filter(({ data_id }) => east.some((place) => place.data_id === data_id));
    expect(both.length).toBeGreaterThan(west.length * 0.8);
  });

  it('has places that open and close as days pass', () => {
    const ids = (day: number): Set<string> =>
      new Set(
        worldWith(germany, day)
          .geography.all('coffee')
          .map(({ bits }) => bits),
      );
    const [first, later] = [ids(0), ids(10)];
    const opened = [...later].filter((id) => !first.has(id)).length;
    const closed = [...first].filter((id) => !later.has(id)).length;
    expect(opened).toBeGreaterThan(20);
    expect(closed).toBeGreaterThan(20);
    expect(opened + closed).toBeLessThan(first.size / 5);
    expect(ids(10)).toEqual(later);
  });
});
