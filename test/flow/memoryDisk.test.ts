import { lastValueFrom } from 'rxjs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Dispatcher } from 'undici';
import { createClient } from '../../src/index.ts';
import { loadFlow, planFlow, runFlow, type FlowSummary } from '../../src/flow/index.ts';
import { MemoryDisk, type MemoryDiskOptions } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

const square = [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]; // prettier-ignore
const flow = {
  name: 'memory',
  store: 'responses',
  stages: {
    people: { call: 'scholarProfiles', each: 'seeds/people.csv.gz', with: { mauthors: '$.name' }, pages: 'all', to: 'people.jsonl' },
    reviews: { call: 'mapsReviews', each: 'people', with: { data_id: '$.author_id' }, pages: 'all', to: 'reviews.csv' },
    cafes: { call: 'mapsSearch', with: { query: 'cafe' }, cover: { within: 'square.geojson', zoom: [3, 3] }, to: 'cafes.jsonl' },
  },
};
const files = ['people.jsonl', 'reviews.csv', 'cafes.jsonl'];

function respond(path: string, query: URLSearchParams): object {
  const cafe = { title: 'Cafe', data_id: 'c', gps_coordinates: { latitude: 0.5, longitude: 0.5 } };
  if (path.endsWith('/maps/search')) return { search_results: query.has('page') ? [] : [cafe] };
  const more = !query.has('after_author') && !query.has('next_page_token');
  const [page, token] = more ? [1, '1'] : [2, null];
  if (query.has('data_id')) return { reviews_results: [{ review_id: `${query.get('data_id')}/${page}` }], next_page_token: token };
  return { profiles: [{ author_id: `${query.get('mauthors')}${page}`, interests: [] }], pagination: { next_page_token: token } };
}

/** The service, without a socket. */
function serviceOf(sent: string[]): Dispatcher {
  const dispatch = ({ path }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
    sent.push(path);
    const url = new URL(path, 'https://memory.invalid');
    const body = Buffer.from(JSON.stringify({ code: 200, message: 'ok', data: respond(url.pathname, url.searchParams) }));
    let isOver = false;
    const controller = { abort: () => void (isOver = true) } as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, {});
    setImmediate(() => {
      if (isOver) return;
      handler.onResponseStart?.(controller, 200, { 'content-type': 'application/json' }, '');
      handler.onResponseData?.(controller, body);
      handler.onResponseEnd?.(controller, {});
    });
    return true;
  };
  return { dispatch } as unknown as Dispatcher;
}

/** A disk with a flow and all that it reads. Nothing of it is on the real one. */
function diskOf(options: MemoryDiskOptions = {}): MemoryDisk {
  const disk = new MemoryDisk();
  disk.put('/flows/flow.json', JSON.stringify(flow));
  disk.put('/flows/seeds/people.csv.gz', gzipSync('name\nann\nbob\n'));
  disk.put('/flows/square.geojson', JSON.stringify({ type: 'Polygon', coordinates: square }));
  return disk.copy(options);
}

/** Runs the flow as another process. Returns how many requests it sent. */
async function run(
  disk: MemoryDisk,
  fileSystem = new MemoryFileSystem(disk),
): Promise<{ readonly requests: number; readonly summary: FlowSummary }> {
  const sent: string[] = [];
  const client = createClient({ baseUrl: 'https://memory.invalid', apiKey: 'key', rate: 'unlimited', dispatcher: serviceOf(sent) });
  try {
    const compiled = await loadFlow('/flows/flow.json', { fileSystem });
    const summary = await lastValueFrom(runFlow(compiled, { client, outDir: '/flows/out', concurrency: 2, commitMs: 0 }));
    return { requests: sent.length, summary: summary as FlowSummary };
  } finally {
    await client.close();
  }
}

const rowsOn = (disk: MemoryDisk): unknown => files.map((file) => disk.read(`/flows/out/${file}`)?.toString().split('\n').sort());

/** What a run leaves that nothing disturbed, and how many requests it sent. */
const whole = diskOf();
let rows: unknown;
let requests: number;
beforeAll(async () => {
  requests = (await run(whole)).requests;
  rows = rowsOn(whole);
});

describe.each([
  ['a disk', {}],
  ['a disk under Windows', { windows: true }],
] as const)('a flow, its seeds, area and store on %s in memory', (_, options) => {
  it('are read and written there only, and planned', async () => {
    const disk = diskOf(options);
    const { summary } = await run(disk);
    expect(summary).toMatchObject({ outcome: 'complete', requests });
    expect(rowsOn(disk)).toEqual(rows);
    expect(rows).toMatchObject([{ length: 5 }, { length: 10 }, { length: 2 }]);
    expect(disk.paths.some((path) => /^\/flows\/responses\/.*\.warc\.gz$/.test(path))).toBe(true);
    expect(disk.open).toEqual([]);
    const compiled = await loadFlow('/flows/flow.json', { fileSystem: new MemoryFileSystem(disk) });
    expect((await planFlow(compiled)).requests.atLeast).toBeLessThanOrEqual(requests);
  });
});

describe('a flow on a disk in memory', () => {
  it.each([
    '/flows/flow.json',
    '/flows/seeds/people.csv.gz',
    '/flows/square.geojson',
    '/flows/out/.trawler/journal.jsonl',
    '/flows/out/people.jsonl',
  ])('ends with the reason where %s can not be read, and changes nothing', async (path) => {
    const sick = whole.copy({ readFault: (one) => (one === path ? 'EIO' : undefined) });
    await expect(run(sick)).rejects.toThrow('EIO');
    expect(rowsOn(sick)).toEqual(rows);
    const well = sick.copy({});
    expect((await run(well)).requests).toBe(0);
  });
});
