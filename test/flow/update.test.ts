import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/index.ts';
import { runFlow, type FlowDefinition, type FlowProgress, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { MemoryFileSystem } from '../sinks/MemoryFileSystem.ts';
import { restarted } from '../sinks/powerCut.ts';
import { fakeClient, type Asked } from './fakeClient.ts';

const flow: FlowDefinition = {
  name: 'fresh',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, by: 'data_id', to: ['places.jsonl', 'places.csv'] },
    reviews: {
      call: 'placeReviews',
      each: 'places',
      pages: 'all',
      keep: { place: '$.data_id' },
      since: { lookback: '3d', unless: '$.reviews' },
      to: ['reviews.jsonl', 'reviews.csv'],
    },
  },
};

interface Row {
  readonly [field: string]: unknown;
}
const lines = async (path: string): Promise<readonly Row[]> =>
  (await readFile(path, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-update-'))));
afterAll(() => rm(folder, { recursive: true }));

async function run(
  day: number,
  out: string,
  options: Partial<RunFlowOptions> = {},
  definition = flow,
): Promise<FlowSummary & { said: readonly FlowProgress[] }> {
  await using sandbox = await startSandbox({ day });
  await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited' });
  const said = await lastValueFrom(runFlow(definition, { client, outDir: join(folder, out), ...options }).pipe(toArray()));
  return { ...(said.at(-1) as FlowSummary), said };
}

const byId = (rows: readonly Row[], id: string): ReadonlyMap<unknown, Row> => new Map(rows.map((row) => [row[id], withoutAges(row)]));
/** Without what says how long ago something was. */
const withoutAges = ({ response, ...row }: Row): Row => ({
  ...row,
  date: undefined,
  ...(response === undefined ? {} : { response: { ...(response as Row), date: undefined } }),
});
const changesOf = async (out: string, file: string): Promise<readonly Row[]> => {
  const times = await readdir(join(folder, out, 'changes'));
  return lines(join(folder, out, 'changes', times.sort().at(-1)!, file));
};

describe('an update', () => {
  it('requests only what is new, changes the files into the current rows, and says what changed', async () => {
    const first = await run(0, 'a');
    const before = byId(await lines(join(folder, 'a', 'reviews.jsonl')), 'review_id');
    const second = await run(1, 'a', { update: true });
    await run(1, 'a-fresh');
    const after = byId(await lines(join(folder, 'a', 'reviews.jsonl')), 'review_id');
    const fresh = byId(await lines(join(folder, 'a-fresh', 'reviews.jsonl')), 'review_id');
    // All that a fresh crawl has, and what was removed since, which an update that stops early can't know.
    const news = [...fresh].filter(([id]) => !before.has(id));
    expect(news.length).toBeGreaterThan(2);
    expect([...fresh.keys()].filter((id) => !after.has(id))).toEqual([]);
    expect([...after.keys()].filter((id) => !fresh.has(id) && !before.has(id))).toEqual([]);
    const changes = await changesOf('a', 'reviews.jsonl');
    const added = changes.filter(({ change }) => change === 'added').map(({ row }) => (row as Row)['review_id']);
    expect(new Set(added)).toEqual(new Set(news.map(([id]) => id)));
    const csv = await readFile(join(folder, 'a', 'reviews.csv'), 'utf8');
    expect(csv.match(/^/gm)!.length).toBeGreaterThan(after.size);
    // A place whose number of reviews is what it was isn't asked for at all.
    expect(second.requests).toBeLessThan(first.requests / 4);
    expect(second.already).toBe(false);
    expect((await run(1, 'a')).already).toBe(true);
  });

  it('asks for one page of each query where nothing says that it may be skipped', async () => {
    const always = { ...flow, stages: { ...flow.stages, reviews: { ...flow.stages['reviews']!, since: { lookback: '1m' } } } };
    await run(3, 'b', {}, always);
    const { requests, stages } = await run(3, 'b', { update: true }, always);
    expect(requests).toBe(1 + stages[1]!.done);
    expect((await changesOf('b', 'reviews.jsonl')).length).toBe(0);
  });

  it('keeps at most 64 bytes a query', async () => {
    const { stages } = await run(0, 'c');
    const size = (await readFile(join(folder, 'c', '.trawler', 'marks.jsonl'))).length;
    expect(size / stages[1]!.done).toBeLessThanOrEqual(64);
  });

  it('equals a fresh crawl on the tenth day where it is asked for in full and what is gone is dropped', async () => {
    const full: FlowDefinition = {
      name: 'full',
      stages: {
        places: {
          call: 'mapsSearch',
          with: { query: 'coffee', ll: '@40.74,-73.98,12z' },
          pages: 'all',
          by: 'data_id',
          gone: 'drop',
          to: 'places.jsonl',
        },
        reviews: {
          call: 'placeReviews',
          each: 'places',
          with: { results: 20 },
          pages: 'all',
          by: 'review_id',
          gone: 'drop',
          to: 'reviews.jsonl',
        },
      },
    };
    for (let day = 0; day <= 10; day++) await run(day, 'd', { update: true }, full);
    await run(10, 'd-fresh', {}, full);
    for (const [file, id] of [
      ['places.jsonl', 'data_id'],
      ['reviews.jsonl', 'review_id'],
    ] as const) {
      // prettier-ignore
      const [updated, fresh] = await Promise.all(['d', 'd-fresh'].map(async (out) => byId(await lines(join(folder, out, file)), id)));
      expect(new Map(updated)).toEqual(new Map(fresh));
    }
    expect((await readdir(join(folder, 'd', 'changes'))).length).toBe(10);
  }, 60_000);

  it('says on request when a row was seen for the first and the last time', async () => {
    const seeing = { ...flow, stages: { ...flow.stages, places: { ...flow.stages['places']!, seen: true } } };
    await run(0, 'e', {}, seeing);
    const [first] = await lines(join(folder, 'e', 'places.jsonl'));
    await run(1, 'e', { update: true }, seeing);
    const again = (await lines(join(folder, 'e', 'places.jsonl'))).find((row) => row['data_id'] === first!['data_id'])!;
    expect(again['first_seen']).toBe(first!['first_seen']);
    expect(String(again['last_seen']) > String(first!['last_seen'])).toBe(true);
    expect(await readFile(join(folder, 'e', 'places.csv'), 'utf8')).toMatch(/^.*first_seen,last_seen\n/);
  });

  it('finishes an unfinished run first, and resumes a stopped update', async () => {
    expect((await run(0, 'f', { update: true, maxRequests: 5 })).outcome).toBe('interrupted');
    expect((await run(0, 'f', { update: true })).outcome).not.toBe('interrupted');
    const stopped = await run(2, 'f', { update: true, maxRequests: 2 });
    expect(stopped.outcome).toBe('interrupted');
    const before = await lines(join(folder, 'f', 'reviews.jsonl'));
    expect(before.length).toBeGreaterThan(100); // the files are whole all the while
    const done = await run(2, 'f', { update: true });
    expect(done.outcome).not.toBe('interrupted');
    expect(await readdir(join(folder, 'f', '.trawler'))).not.toContain('update');
  });
});

describe('an update that the disk fails in', () => {
  const small: FlowDefinition = {
    name: 'small',
    stages: {
      places: { call: 'mapsSearch', with: { query: 'x' }, by: 'data_id', to: 'places.jsonl' },
      reviews: { call: 'placeReviews', each: 'places', pages: 'all', since: { lookback: '1d' }, to: ['reviews.jsonl', 'reviews.csv'] },
    },
  };
  /** Two places with three pages of reviews each; from the second day on one more review, and one that was edited. */
  const service =
    (day: number) =>
    ({ operation, query }: Asked): unknown => {
      if (operation === 'mapsSearch')
        return { search_results: ['a', 'b'].map((data_id) => ({ data_id, title: data_id, reviews: 6 + day })) };
      const all = Array.from({ length: 6 + day }, (_, index) => ({
        review_id: `${String(query['data_id'])}${index}`,
        iso_date: new Date(Date.UTC(2026, 0, 1) + index * 86_400_000).toISOString(),
        snippet: index === 5 && day > 0 ? 'edited' : 'as it was',
      })).toReversed();
      const page = Number(query['next_page_token'] ?? 0);
      return {
        reviews_results: all.slice(2 * page, 2 * page + 2),
        ...(2 * page + 2 < all.length ? { next_page_token: String(page + 1) } : {}),
      };
    };
  const go = (disk: MemoryFileSystem, day: number, update: boolean): Promise<unknown> =>
    lastValueFrom(
      runFlow(small, { client: fakeClient(service(day)), outDir: '/out', fileSystem: disk, commitMs: 0, concurrency: 1, update }),
    );
  /** What a user sees of the folder, changes under a time of their own. */
  const shown = (disk: MemoryFileSystem): object =>
    Object.fromEntries(
      disk.fileNames
        .filter((name) => /^\/out\/(reviews|places|changes)/.test(name))
        .map((name) => [name.replace(/changes\/[^/]+/, 'changes/time'), disk.read(name)!.toString().split('\n').sort()]),
    );

  it('comes to the same files and the same changes, wherever that was', async () => {
    const start = new MemoryFileSystem();
    await go(start, 0, false);
    const golden = new MemoryFileSystem(start.disk);
    await go(golden, 1, true);
    expect(shown(golden)).toMatchObject({ '/out/changes/time/reviews.jsonl': expect.arrayContaining([expect.stringContaining('"added"'), expect.stringContaining('"fields":["snippet"]')]) as unknown }); // prettier-ignore
    expect(golden.log.length).toBeGreaterThan(100);
    for (let at = 0; at < golden.log.length; at++) {
      const sick = new MemoryFileSystem(start.disk, (_, index) => (index === at ? 'EIO' : undefined));
      await go(sick, 1, true).catch(() => undefined);
      const well = new MemoryFileSystem(restarted(sick.disk));
      // What may have come before the fault is that the update was done: another finds nothing.
      await go(well, 1, true);
      const files = shown(well) as { [name: string]: string[] };
      expect(files['/out/reviews.jsonl'], `after a fault at ${at}`).toEqual((shown(golden) as typeof files)['/out/reviews.jsonl']);
      expect(files['/out/reviews.csv']).toEqual((shown(golden) as typeof files)['/out/reviews.csv']);
      const lists = well.fileNames.filter((name) => /changes\/[^/]+\/reviews/.test(name)).map((name) => well.read(name)!.toString());
      expect(
        lists
          .join('')
          .split('\n')
          .filter((line) => line !== ''),
      ).toHaveLength(4);
    }
  }, 120_000);
});
