import { describe, expect, it } from 'vitest';
import { coverInFlow, coverInPipe } from '../operators/split/coverBoth.ts';
import { cleanWorld } from '../operators/split/mapWorld.ts';
import { ofTheDay } from '../ofTheDay.ts';

const long = process.env['TRAWLER_LONG'] === '1';
/** The number of areas, and the limit of requests for all of them. */
const limits = {
  coverArea: long ? { areas: 600, requests: 75_900 } : { areas: 30, requests: 3575 },
  cover: long ? { areas: 600, requests: 77_100 } : { areas: 8, requests: 1110 },
};

describe('the requests for areas whose searches show all that is in their view', { timeout: 3_600_000 }, () => {
  const ways = [
    ['coverArea', coverInPipe],
    ['cover', coverInFlow],
  ] as const;
  it.each(ofTheDay<(typeof ways)[number]>(ways, 1))('%s finds every place within a number of requests', async (name, cover) => {
    const { areas, requests } = limits[name];
    let sum = 0;
    for (let seed = 1; seed <= areas; seed++) {
      const world = cleanWorld(seed);
      const covered = await cover(world);
      expect(covered.ids, `seed ${seed}`).toEqual(world.ids);
      sum += covered.requests.length;
    }
    expect(sum).toBeLessThanOrEqual(requests);
  });
});
