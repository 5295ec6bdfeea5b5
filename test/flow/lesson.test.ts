import { lastValueFrom } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { HttpError } from '../../src/errors/index.ts';
import { runFlow, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { inTowns, mapWorld, type Spot } from '../operators/split/mapWorld.ts';
import { fakeClient, type Asked } from './fakeClient.ts';
import { killedAt } from './killedAt.ts';

const within = [10, 50, 12, 52] as const;
const world = mapWorld({ within, places: inTowns(5, 12, within, 5) });
const words = ['coffee', 'tea', 'cake'] as const;
const flow: FlowDefinition = {
  name: 'lesson',
  stages: {
    places: {
      call: 'mapsSearch',
      with: { query: [...words] },
      cover: { within },
      by: 'data_id',
      to: 'places.jsonl',
    },
  },
};
/** What each request is about, in order. */
let asked: string[] = [];

/** Runs the flow. `status`: of the response to a request, by its number and its word. */
async function run(
  fileSystem: MemoryFileSystem,
  status: (nth: number, word: string) => number = () => 200,
  options: Partial<RunFlowOptions> = {},
): Promise<FlowSummary> {
  asked = [];
  const client = fakeClient(({ operation, query: { query, ll, page = 0 } }: Asked) => {
    const code = status(asked.push(String(query)), String(query));
    if (code !== 200) throw new HttpError(`HTTP ${code}`, { operation, status: code, kind: code === 503 ? 'busy' : 'final' });
    const found = world.search(String(ll)).slice(Number(page), Number(page) + 20);
    return { search_results: found.map((spot) => ({ ...spot, data_id: `${query} ${spot.data_id}` })) };
  });
  const where = { outDir: '/out', fileSystem, concurrency: 4, commitMs: 0 };
  return (await lastValueFrom(runFlow(flow, { client, ...where, ...options }))) as FlowSummary;
}

/** Words with whether all their rows are there, each once. */
function foundOn(disk: MemoryDisk): Readonly<Record<string, boolean>> {
  const lines = (disk.read('/out/places.jsonl')?.toString() ?? '').split('\n').filter((line) => line !== '');
  const ids = lines.map((line) => (JSON.parse(line) as Spot).data_id!).toSorted();
  const idsFor = (word: string): string[] => world.ids.map((id) => `${word} ${id}`).toSorted();
  const isWhole = (word: string): boolean => ids.filter((id) => id.startsWith(word)).join() === idsFor(word).join();
  return Object.fromEntries(words.map((word) => [word, isWhole(word)]));
}
const all = { coffee: true, tea: true, cake: true };
const allButFirst = { coffee: false, tea: true, cake: true };

// the first area teaches how far a search sees, and the others wait for it
describe('the lesson of a stage with many areas', () => {
  let disk: MemoryDisk;
  let on: MemoryFileSystem;
  beforeEach(() => {
    disk = new MemoryDisk();
    on = new MemoryFileSystem(disk);
  });

  it('is given once', async () => {
    const { outcome } = await run(on);
    expect([outcome, foundOn(disk)]).toEqual(['complete', all]);
    const ofFirst = asked.filter((word) => word === 'coffee').length;
    for (const word of ['tea', 'cake']) expect(asked.filter((one) => one === word).length).toBeLessThan(ofFirst);
    expect(asked.slice(0, 5)).toEqual(Array(5).fill('coffee'));
  });

  it.each([404, 422])('goes on to the next area where the first search fails for good: HTTP %i', async (code) => {
    const summary = await run(on, (_, word) => (word === 'coffee' ? code : 200));
    expect([summary.outcome, summary.stages[0]!.failed, summary.stages[0]!.waiting]).toEqual(['failed', 1, 0]);
    expect(foundOn(disk)).toEqual(allButFirst);
    expect(asked.filter((word) => word === 'coffee')).toHaveLength(1);
    expect((await run(on, undefined, { failures: true })).outcome).toBe('complete');
    expect(foundOn(disk)).toEqual(all);
  });

  it.each(ofTheDay([1, 2, 4, 7, 10], 1))(
    'goes on to the next area where search %i fails for a passing reason, and comes last',
    async (nth) => {
      let failed = '';
      const summary = await run(on, (number, word) => {
        if (number !== nth) return 200;
        failed = word;
        return 503;
      });
      expect([failed, summary.outcome, summary.stages[0]!.failed]).toEqual(['coffee', 'complete', 0]);
      expect(foundOn(disk)).toEqual(all);
      expect([asked[nth], asked.at(-1)]).toEqual(['tea', 'coffee']);
    },
  );

  it('goes on to the next area where its first search fails for a passing reason that lasts', async () => {
    const summary = await run(on, (_, word) => (word === 'coffee' ? 503 : 200));
    expect([summary.outcome, summary.stages[0]!.failed, summary.stages[0]!.waiting]).toEqual(['failed', 1, 0]);
    expect(foundOn(disk)).toEqual(allButFirst);
    expect([asked[0], asked[1], asked.at(-1)]).toEqual(['coffee', 'tea', 'coffee']);
  });

  it('ends with a failure for each area where every first search fails for good', async () => {
    const summary = await run(on, () => 422);
    expect([summary.outcome, summary.stages[0]!.failed, summary.stages[0]!.waiting, asked.length]).toEqual(['failed', 3, 0, 3]);
    expect((await run(on, undefined, { failures: true })).outcome).toBe('complete');
    expect(foundOn(disk)).toEqual(all);
  });

  it('leaves the run open where every first search fails for a reason that may pass', async () => {
    const { outcome, because } = await run(on, () => 503);
    expect([outcome, because]).toEqual(['interrupted', expect.stringContaining('nothing has come')]);
    expect((await run(on)).outcome).toBe('complete');
    expect(foundOn(disk)).toEqual(all);
  });

  it('is gone on with by the next run, with the same rows and no request more', async () => {
    await run(on);
    const whole = asked.length;
    for (const maxRequests of ofTheDay([1, 2, 3, 5, 8, 11, 15], 2)) {
      const other = new MemoryDisk();
      expect((await run(new MemoryFileSystem(other), undefined, { maxRequests })).outcome).toBe('interrupted');
      expect((await run(new MemoryFileSystem(other))).outcome).toBe('complete');
      expect([asked.length, foundOn(other)]).toEqual([whole - maxRequests, all]);
    }
  });

  it.each([200, 404, 503])('survives a kill at any moment, also where its first search says %i', async (code) => {
    let first = true;
    const status = (): number => {
      const isFirst = first;
      first = false;
      return isFirst ? code : 200;
    };
    await run(on, status);
    const expected = foundOn(disk);
    expect(expected).toEqual(code === 404 ? allButFirst : all);
    for (const step of ofTheDay([...disk.log.keys()].slice(0, 60), 2)) {
      first = true;
      const left = foundOn(await killedAt(step, (fileSystem) => run(fileSystem, status)));
      // a failure that the killed process hadn't written down is tried again
      expect(code === 404 ? { ...left, coffee: false } : left, `step ${step}`).toEqual(expected);
    }
  });

  it.each([200, 404, 503])('is given again in an update, also where its first search says %i', async (code) => {
    await run(on);
    const { outcome } = await run(on, (nth) => (nth === 1 ? code : 200), { update: true });
    expect([outcome, foundOn(disk)]).toEqual([code === 404 ? 'failed' : 'complete', all]);
  });
});
