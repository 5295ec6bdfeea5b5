import { describe, expect, it } from 'vitest';
import { ofTheDay } from '../../ofTheDay.ts';
import { coverInFlow, coverInPipe, type Coverage } from './coverBoth.ts';
import { mapWorld, oddWorld, scattered, type MapWorld } from './mapWorld.ts';
import { seeded } from '../../files/seeded.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const worlds = Array.from({ length: 2000 }, (_, nth) => 1 + nth);
/** And one where a row lay just beyond the view, in a corner of its tile. Only other searches showed that the view is smaller. */
const seeds = [...ofTheDay(worlds, 3), 1741];
const box = [13, 52, 13.2, 52.14] as const;

function isComplete({ error, full, outcome }: Coverage): boolean {
  return error === undefined && full === 0 && (outcome ?? 'complete') === 'complete';
}

describe('views that are rectangles, circles or ellipses, with rows from beyond them', { timeout: 3_600_000 }, () => {
  it(`are complete only if no row is missing, in ${seeds.length} worlds, at any concurrency, for at most 16 requests a place`, async () => {
    for (const seed of seeds) {
      const world = oddWorld(seed);
      const covered = await coverInPipe(world, { concurrency: [1, 6, 32][seed % 3]!, most: 12_000 });
      expect(covered.error, `seed ${seed}`).toBeUndefined();
      expect(isComplete(covered) ? covered.ids : world.ids, `seed ${seed}`).toEqual(world.ids);
      expect(covered.requests.length, `seed ${seed}`).toBeLessThanOrEqual(16 * world.ids.length + 400);
    }
  });

  it('bring the same rows with the same requests at any concurrency, in pipes and flows', async () => {
    for (const seed of seeds.slice(0, long ? 40 : 1)) {
      const world = oddWorld(seed);
      const once = await coverInPipe(world, { concurrency: 1 });
      const others = [coverInPipe, coverInFlow].flatMap((cover) => [1, 32].map((concurrency) => cover(world, { concurrency })));
      for (const covered of await Promise.all(others)) {
        const told = (one: Coverage): object => ({ ids: one.ids, full: one.full, isComplete: isComplete(one) });
        expect(told(covered), `seed ${seed}`).toEqual(told(once));
        // pages that are requested again, because they seem to lack rows, depend on which came first
        expect([...new Set(covered.requests)].toSorted()).toEqual([...new Set(once.requests)].toSorted());
        expect(covered.requests.length).toBeLessThanOrEqual(once.requests.length * 1.02);
      }
    }
  });

  it('lose nothing to an update that drops what is gone', async () => {
    for (const seed of seeds.slice(0, long ? 200 : 1)) {
      const world = oddWorld(seed);
      const covered = await coverInFlow(oddWorld(seed, { cap: 10_000 }), { update: world });
      expect(
        world.ids.filter((id) => !covered.ids.includes(id)),
        `seed ${seed}`,
      ).toEqual([]);
    }
  });

  it('are all seen where rows from far away come first in each search', async () => {
    for (const seed of seeds.slice(0, long ? 200 : 1)) {
      const others = scattered(60, [40, 20, 80, 40], seed);
      const places = scattered(200, box, seed);
      for (const [cap, everywhere] of [
        [20, 8],
        [60, 25],
      ] as const) {
        // prettier-ignore
        const world = mapWorld({ within: box, places, others, everywhere, cap });
        const covered = await coverInPipe(world, { zoom: [8, 21], most: 6000 });
        expect(isComplete(covered) ? covered.ids : world.ids, `seed ${seed}`).toEqual(world.ids);
      }
    }
  });
});

describe('a search that invents new places for every view', () => {
  const worldOf = (seed: number, rowsOf: (random: () => number) => number): MapWorld => {
    const seen = new Map<string, ReturnType<MapWorld['search']>>();
    return {
      within: [13.1, 52.35, 13.75, 52.7],
      ids: [],
      search(ll) {
        const [latitude = 0, longitude = 0, zoom = 0] = ll.slice(1).split(',').map(Number.parseFloat);
        const random = seeded(seed + seen.size);
        const degree = 360 / 256 / 2 ** zoom;
        const rows = Array.from({ length: rowsOf(random) }, (_, index) => ({
          data_id: `${seen.size} ${index}`,
          gps_coordinates: { latitude: latitude + (random() - 0.5) * 400 * degree, longitude: longitude + (random() - 0.5) * 900 * degree },
        }));
        if (!seen.has(ll)) seen.set(ll, rows);
        return seen.get(ll)!;
      },
    };
  };

  it.each([20, 40, 57, 120, 'any number'] as const)('is told within 200 requests, in a pipe and in a flow: %s rows', async (rows) => {
    for (const cover of [coverInPipe, coverInFlow]) {
      const covered = await cover(
        worldOf(5, (random) => (rows === 'any number' ? 1 + Math.floor(random() * 130) : rows)),
        { most: 6000 },
      );
      expect(covered.requests.length).toBeLessThan(200);
      expect(isComplete(covered)).toBe(false);
    }
  });
});
