import { lastValueFrom } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { HttpError } from '../../src/errors/index.ts';
import { runFlow, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import type { Within } from '../../operators/index.ts';
import { fakeClient } from './fakeClient.ts';
import { cleanWorld, clearWorlds, crowdedWorlds, strangeWorlds } from '../operators/split/mapWorld.ts';
import { coverInFlow, coverInPipe, type Coverage } from '../operators/split/coverBoth.ts';
import { seeded } from '../files/seeded.ts';
import { ofTheDay } from '../ofTheDay.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const ways = { coverArea: coverInPipe, 'a flow': coverInFlow };
const shapes = {
  'a view that is wider than high': {},
  'a view that is higher than wide': { view: [400, 800] },
  'the nearest first': { view: [400, 800], near: true },
  'a view in degrees': { unit: 'degrees' },
  'a small view in degrees, the nearest first': { view: [256, 256], near: true, unit: 'degrees' },
  'a view in kilometres': { unit: 'km' },
} as const;
const worlds = Object.keys(clearWorlds);
const cases = Object.keys(shapes).flatMap((shape) => worlds.map((world) => [world, shape] as const));

describe.each(Object.entries(ways))('%s', (_, cover) => {
  const isPipe = cover === coverInPipe;
  it.each(ofTheDay(cases, isPipe ? 2 : 1))('finds every place, each once: %s, %s', async (name, shape) => {
    const world = clearWorlds[name]!(shapes[shape as keyof typeof shapes]);
    const { ids, full, error, outcome } = await cover(world, { most: 3000 });
    expect(error).toBeUndefined();
    expect(outcome ?? 'complete').toBe('complete');
    expect(full).toBe(0);
    expect(ids).toEqual(world.ids);
  });

  const strange = [120, 40, 57].flatMap((rows) => Object.keys(strangeWorlds).map((name) => [name, rows] as const));
  it.each(ofTheDay(strange, isPipe ? 6 : 2))(
    'says that the search cannot cover an area, after few requests: %s, %i rows',
    async (name, rows) => {
      const { requests, ...covered } = await cover(strangeWorlds[name]!(1, rows), { most: 3000 });
      expect(requests.length).toBeLessThan(300);
      // 57 rows fill no page, so they may be all that there are
      expect(rows === 57 || saysThatRowsAreMissing(covered)).toBe(true);
    },
  );

  const crowded = Object.keys(crowdedWorlds).flatMap((name) => [[name, 130], [name, 1000]] as const); // prettier-ignore
  it.each(ofTheDay(crowded, 1))('finds the places around more at one point than a search returns: %s, %i rows', async (name, rows) => {
    const world = crowdedWorlds[name]!(2, rows);
    const { requests, ids, ...covered } = await cover(world, { most: 3000 });
    const found = new Set(ids);
    expect(world.ids.filter((id) => !found.has(id))).toEqual([]);
    expect(saysThatRowsAreMissing(covered)).toBe(true);
    expect(requests.length).toBeLessThan(500);
  });
});

describe('the cost of an area', () => {
  const seeds = ofTheDay(
    Array.from({ length: 2000 }, (_, nth) => 1 + nth),
    6,
  );

  it(`is bounded in ${seeds.length} worlds, whatever their searches return, in a pipe and in a flow`, { timeout: 3_600_000 }, async () => {
    const worlds = [...Object.values(strangeWorlds), ...Object.values(crowdedWorlds)];
    for (const seed of seeds) {
      const random = seeded(seed);
      const rows = 1 + Math.floor(random() * 300);
      const make = worlds[seed % worlds.length]!;
      const world = make(seed, rows);
      const zooms = [[3, 21], [3, 12], [9, 18]] as const; // prettier-ignore
      const zoom = zooms[Math.floor(random() * zooms.length)]!;
      const cover = seed % 4 === 0 ? coverInFlow : coverInPipe;
      const { requests, ids } = await cover(world, { most: 20_000, zoom, concurrency: 1 + Math.floor(random() * 16) });
      // a crowd takes all pages of a search wherever it is seen
      const most = worlds.indexOf(make) < Object.keys(strangeWorlds).length ? 1000 + new Set(ids).size / 4 : 2000;
      expect(requests.length, `seed ${seed}, ${rows} rows`).toBeLessThan(most);
    }
  });
});

describe('the requests for areas whose searches show all that is in their view', { timeout: 3_600_000 }, () => {
  const limits = {
    coverArea: { cover: coverInPipe, ...(long ? { areas: 600, requests: 113_000 } : { areas: 10, requests: 2000 }) },
    'a flow': { cover: coverInFlow, ...(long ? { areas: 600, requests: 115_000 } : { areas: 5, requests: 780 }) },
  };
  it.each(ofTheDay(Object.entries(limits), 1))('are few: %s', async (_, { cover, areas, requests }) => {
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

describe('an area without a row in it', () => {
  it('is told, since longitude and latitude may be swapped', async () => {
    const world = { ...clearWorlds['towns']!(), within: [-60, -30, -59, -29] as Within };
    const { requests, events } = await coverInPipe(world);
    expect(requests.length).toBeLessThan(20);
    expect(events).toContain('no row lies in the area. Longitude comes first: are the two swapped?');
    expect((await coverInFlow(world)).events).toContain('places: no row lies in the area. Longitude comes first: are the two swapped?');
  });
});

describe('the report of an area without a row in it', () => {
  it('asks, too, whether longitude and latitude are swapped', async () => {
    const disk = new MemoryDisk();
    const client = fakeClient(() => ({ search_results: [] }));
    const places = { call: 'mapsSearch', with: { query: 'coffee' }, cover: { within: [52, 13, 53, 14] as const }, to: 'places.jsonl' };
    const options = { client, outDir: '/out', fileSystem: new MemoryFileSystem(disk) };
    await lastValueFrom(runFlow({ name: 'swapped', stages: { places } }, options));
    const report = disk.read('/out/report.html')!.toString();
    expect(report).toContain('<li>places: no row lies in the area. Longitude comes first: are the two swapped?</li>');
  });
});

describe('the areas of many seeds', () => {
  it('are read a few at a time while the view is not known', async () => {
    const disk = new MemoryDisk();
    const world = clearWorlds['crowded towns']!();
    const box = world.within as readonly number[];
    const square = (index: number): number[] => [box[0]! + index / 100, box[1]!, box[0]! + (index + 1) / 100, box[1]! + 1];
    disk.put('/areas.jsonl', Array.from({ length: 700 }, (_, index) => JSON.stringify({ area: square(index) })).join('\n'));
    const client = fakeClient(({ query }) => ({ search_results: world.search(String(query['ll'])).slice(Number(query['page'] ?? 0)).slice(0, 20) })); // prettier-ignore
    const places = {
      call: 'mapsSearch',
      each: '/areas.jsonl',
      with: { query: 'coffee' },
      cover: { within: '$.area' },
      to: 'places.jsonl',
    };
    const options = { client, outDir: '/out', fileSystem: new MemoryFileSystem(disk), maxRequests: 8 };
    await lastValueFrom(runFlow({ name: 'areas', stages: { places } }, options));
    const text = disk.read('/out/.trawler/journal.jsonl')!.toString();
    const positions = [...text.matchAll(/"position":(\d+)/g)].map(([, position]) => Number(position));
    expect(Math.max(...positions)).toBe(64);
  });
});

describe('a query that fails while a flow covers an area', () => {
  const world = clearWorlds['towns']!();
  const stages: FlowDefinition['stages'] = {
    places: { call: 'mapsSearch', with: { query: 'coffee' }, cover: { within: world.within as never }, to: 'places.jsonl' },
    papers: { call: 'scholarSearch', with: { query: 'graphene' }, pages: 'all', to: 'papers.jsonl' },
  };
  let disk: MemoryDisk;
  beforeEach(() => void (disk = new MemoryDisk()));

  /** Runs the flow against a service that doesn't find these requests, by their number. */
  async function run(missing: (asked: number) => boolean, options: Partial<RunFlowOptions> = {}): Promise<FlowSummary> {
    let asked = 0;
    const client = fakeClient(({ operation, query }) => {
      if (operation === 'scholarSearch') return { scholar_results: query['page'] === undefined ? [{ id: 'paper' }] : [] };
      if (missing(asked++)) throw new HttpError('not found', { operation, status: 404 });
      return { search_results: world.search(String(query['ll'])).slice(Number(query['page'] ?? 0), Number(query['page'] ?? 0) + 20) };
    });
    const where = { outDir: '/out', fileSystem: new MemoryFileSystem(disk) };
    return (await lastValueFrom(runFlow({ name: 'cover', stages }, { client, ...where, ...options }))) as FlowSummary;
  }
  const textOf = (file: string): string => disk.read(`/out/${file}`)!.toString();
  const idsOf = (text: string): string[] =>
    text.trimEnd().split('\n').map((line) => (JSON.parse(line) as { readonly data_id: string }).data_id).toSorted(); // prettier-ignore

  it('is one failure if it is the first, and the other stages finish; retried, it brings the whole area', async () => {
    const summary = await run(() => true);
    expect(summary.outcome).toBe('failed');
    expect(summary.stages.map(({ failed }) => failed)).toEqual([1, 0]);
    expect(textOf('papers.jsonl')).toContain('paper');
    const retried = await run(() => false, { failures: true });
    expect(retried.outcome).toBe('complete');
    expect(retried.stages.map(({ limits }) => limits)).toEqual([[], []]); // an area needs no pages, so no limit of pages can be raised
    expect(idsOf(textOf('places.jsonl'))).toEqual(world.ids);
  });

  it.each(ofTheDay([3, 9, 20, 40, 90, 150], 1))('brings its tile when it is retried: request %i', async (number) => {
    const summary = await run((asked) => asked === number);
    expect(summary.outcome).toBe('failed');
    expect(summary.stages[0]!.failed).toBe(1);
    expect((await run(() => false, { failures: true })).outcome).toBe('complete');
    expect(idsOf(textOf('places.jsonl'))).toEqual(world.ids);
  });
});

function saysThatRowsAreMissing({ error, full, outcome }: Omit<Coverage, 'requests' | 'ids'>): boolean {
  return error !== undefined || full > 0 || outcome === 'failed';
}
