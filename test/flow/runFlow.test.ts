import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { lastValueFrom, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { AuthError, BudgetError, FlowError, HttpError, SinkError } from '../../src/errors/index.ts';
import { runFlow, type FlowDefinition, type FlowProgress, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { fakeClient, type Asked, type FakeClient } from './fakeClient.ts';
import { smallResponse, smallFlow, smallRequests } from './smallFlow.ts';

let outDir: string;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawler-flow-'));
  outDir = join(folder, 'out');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Options = Partial<RunFlowOptions>;
async function events(flow: FlowDefinition, client: FakeClient, options: Options = {}): Promise<FlowProgress[]> {
  return await lastValueFrom(runFlow(flow, { client, outDir, ...options }).pipe(toArray()));
}
async function run(flow: FlowDefinition, client: FakeClient, options: Options = {}): Promise<FlowSummary> {
  const last = (await events(flow, client, options)).at(-1);
  if (last?.type !== 'summary') throw new Error('the last value is no summary');
  return last;
}
async function rows(file: string): Promise<{ readonly [field: string]: unknown }[]> {
  const lines = (await readFile(join(outDir, file), 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as { readonly [field: string]: unknown });
}
/** Places by query, each with reviews on as many pages as its id says. */
function maps({ operation, query }: Asked): unknown {
  if (operation === 'mapsSearch') {
    const places = String(query['query']).split(' ');
    return { search_results: places.map((id) => ({ data_id: id, title: `Place ${id}`, rating: id.length, types: ['cafe', 'bar'] })) };
  }
  if (operation !== 'mapsReviews') return { photos: [{ image: String(query['data_id']) }], post_data: [] };
  const page = Number(query['next_page_token'] ?? 1);
  const last = Number(/\d+/.exec(String(query['data_id']))?.[0] ?? 1);
  return {
    reviews_results: [{ review_id: `${String(query['data_id'])}-${page}` }],
    ...(page < last ? { next_page_token: String(page + 1) } : {}),
  };
}
const crawl: FlowDefinition = {
  name: 'crawl',
  stages: {
    places: { call: 'mapsSearch', with: { query: ['a3 b1', 'b1 c2'] }, to: 'places.jsonl' },
    reviews: { call: 'placeReviews', each: 'places', pages: 'all', keep: { place: '$.title' }, to: 'reviews.jsonl' },
  },
};

describe('runFlow', () => {
  it('is cold, reports progress, and ends with a summary', async () => {
    const client = fakeClient(maps);
    const running = runFlow(crawl, { client, outDir });
    expect(client.asked).toEqual([]);
    const said = await lastValueFrom(running.pipe(toArray()));
    expect(said[0]).toMatchObject({ type: 'start', resumed: false });
    expect([...new Set(said.map(({ type }) => type))].sort()).toEqual(['commit', 'progress', 'start', 'summary']);
    expect(said.at(-1)).toMatchObject({ outcome: 'capped', already: false, requests: 8 });
    expect((await rows('reviews.jsonl')).map((row) => `${String(row['review_id'])} ${String(row['place'])}`).sort()).toEqual(
      ['a3-1', 'a3-2', 'a3-3', 'b1-1', 'c2-1', 'c2-2'].map((id) => `${id} Place ${id.slice(0, 2)}`),
    );
  });

  it('requests the same query once, however often it is found', async () => {
    const client = fakeClient(maps);
    await run(crawl, client);
    expect(client.asked.filter(({ query }) => query['data_id'] === 'b1')).toHaveLength(1);
    expect(await rows('places.jsonl')).toHaveLength(4);
  });

  it('goes deep first: with one request in flight, the reviews of a place come before the next query', async () => {
    const client = fakeClient(maps);
    await run(crawl, client, { concurrency: 1 });
    const order = client.asked.map(({ operation, query }) =>
      operation === 'mapsSearch' ? query['query'] : `${String(query['data_id'])}/${String(query['next_page_token'] ?? 1)}`,
    );
    expect(order).toEqual(['a3 b1', 'a3/1', 'a3/2', 'a3/3', 'b1/1', 'b1 c2', 'c2/1', 'c2/2']);
    expect(client.most).toBe(1);
  });

  it('runs over the rows of several stages, and a list in each row', async () => {
    const flow: FlowDefinition = {
      name: 'several',
      stages: {
        near: { call: 'mapsSearch', with: { query: 'a1 b1' } },
        far: { call: 'mapsSearch', with: { query: 'b1 c1' } },
        photos: { call: 'mapsPhotos', each: ['near', 'far'], with: { data_id: '$.data_id' }, to: 'photos.jsonl' },
        more: { call: 'mapsSearch', each: 'near', with: { query: '$.types[]' } },
      },
    };
    const client = fakeClient(maps);
    await run(flow, client);
    expect((await rows('photos.jsonl')).map(({ image }) => String(image)).sort()).toEqual(['a1', 'b1', 'c1']);
    expect(client.asked.filter(({ query }) => query['query'] === 'cafe' || query['query'] === 'bar')).toHaveLength(2);
  });

  it('filters rows by where, fields by pick, the number by limit, and duplicates by by', async () => {
    const flow: FlowDefinition = {
      name: 'rows',
      stages: {
        kept: {
          call: 'mapsSearch',
          with: { query: ['a aa aaa', 'aa bbb'] },
          where: { rating: { '>=': 2 } },
          pick: ['data_id', 'rating'],
          by: 'rating',
          to: 'kept.jsonl',
        },
        cut: { call: 'mapsSearch', with: { query: 'a b c d' }, limit: 3, to: 'cut.jsonl' },
      },
    };
    const { stages } = await run(flow, fakeClient(maps), { concurrency: 1 });
    expect(await rows('kept.jsonl')).toEqual([
      { data_id: 'aa', rating: 2 },
      { data_id: 'aaa', rating: 3 },
    ]);
    expect((await rows('cut.jsonl')).map((row) => row['data_id'])).toEqual(['a', 'b', 'c']);
    expect(stages.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['kept', 'capped'],
      ['cut', 'capped'],
    ]);
  });

  it('writes all fields but those that pick leaves out, also in a table', async () => {
    const call = { call: 'mapsSearch', with: { query: 'a aa' }, keep: { city: '$query.query' } };
    const left = { ...call, pick: ['!rating', '!gps_coordinates.latitude'] };
    const stages = { all: { ...call, to: 'all.jsonl' }, left: { ...left, to: ['left.jsonl', 'left.csv'] } };
    await run({ name: 'left', stages } as FlowDefinition, fakeClient(maps), { concurrency: 1 });
    const wanted = (await rows('all.jsonl')).map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'rating')));
    expect(wanted[0]).toHaveProperty('city');
    expect(await rows('left.jsonl')).toEqual(wanted);
    const [heading] = (await readFile(join(folder, 'out/left.csv'), 'utf8')).split('\n');
    expect(heading!.split(',')).toEqual(expect.arrayContaining(['city', 'title', 'gps_coordinates.longitude']));
    expect(heading!.split(',')).not.toEqual(expect.arrayContaining(['rating']));
    expect(heading).not.toContain('latitude');
  });

  it.each([
    ['csv', 'city,n\nOslo,2\n"Ber""lin",3\n'],
    ['tsv', 'city\tn\nOslo\t2\nBer"lin\t3\n'],
    ['jsonl', '\uFEFF{"city":"Oslo","n":2}\n\n{"city":"Ber\\"lin","n":3}'],
  ])('reads seeds from .%s, beside the flow, with numbers where the parameter wants them', async (ending, text) => {
    const path = join(folder, `seeds.${ending}`);
    await writeFile(path, text.replace('Ber"lin\t', '"Ber""lin"\t'));
    const client = fakeClient(() => ({ scholar_results: [] }));
    await run(
      {
        name: 'seeds',
        stages: { works: { call: 'scholarSearch', each: path, with: { query: 'in ${$.city}', results: '$.n' }, to: 'works.jsonl' } },
      },
      client,
    );
    expect(client.asked.map(({ query }) => query)).toEqual([
      { query: 'in Oslo', results: 2 },
      { query: 'in Ber"lin', results: 3 },
    ]);
  });

  it('reads seeds from standard input, in whichever format they are', async () => {
    const seeds: FlowDefinition = {
      name: 'stdin',
      stages: { places: { call: 'mapsSearch', each: '-', with: { query: '$.q' }, to: 'p.jsonl' } },
    };
    for (const [index, text] of ['{"q":"a"}\n{"q":"b"}\n', 'q,z\na,1\nb,2\n', 'q\tz\na\t1\nb\t2'].entries()) {
      const client = fakeClient(maps);
      await run(seeds, client, {
        stdin: Readable.from([Buffer.from(text.slice(0, 5)), Buffer.from(text.slice(5))]),
        outDir: join(folder, `out${index}`),
      });
      expect(client.asked.map(({ query }) => query['query'])).toEqual(['a', 'b']);
    }
  });

  it('skips rows without the fields that a ready fan-out needs', async () => {
    const works = [
      { title: 'one', inline_links: { versions: { cluster_id: 'c1' } } },
      { title: 'two', inline_links: {} },
    ];
    const client = fakeClient(() => ({ scholar_results: works }));
    await run(
      {
        name: 'versions',
        stages: { works: { call: 'scholarSearch', with: { query: 'x' } }, all: { call: 'workVersions', each: 'works', to: 'all.jsonl' } },
      },
      client,
    );
    expect(client.asked.map(({ query }) => query)).toEqual([{ query: 'x' }, { query: 'one', cluster: 'c1' }]);
  });

  it('can be stopped while standard input is silent', async () => {
    const seeds: FlowDefinition = {
      name: 'silent',
      stages: { places: { call: 'mapsSearch', each: '-', with: { query: '$.q' }, to: 'p.jsonl' } },
    };
    const stop = new AbortController();
    const silent = new Readable({ read: () => undefined });
    silent.push('{"q":"a"}\n');
    const running = run(seeds, fakeClient(maps), { stdin: silent, signal: stop.signal });
    setTimeout(() => stop.abort(), 30);
    expect((await running).outcome).toBe('interrupted');
  });

  it('requests nothing for a row without a required field', async () => {
    const client = fakeClient(({ operation }) =>
      operation === 'mapsSearch' ? { search_results: [{ title: 'no id' }, { data_id: '' }] } : {},
    );
    expect((await run(crawl, client)).outcome).toBe('capped');
    expect(client.asked).toHaveLength(2);
  });

  it('does nothing when it was finished before, and says so', async () => {
    await run(crawl, fakeClient(maps));
    const client = fakeClient(maps);
    const again = await run(crawl, client);
    expect(again).toMatchObject({ already: true, outcome: 'capped', because: 'the flow was finished before, so no request was sent' });
    expect(client.asked).toEqual([]);
    expect(again.files.map(({ path, rows }) => [path, rows])).toEqual([
      ['places.jsonl', 4],
      ['reviews.jsonl', 6],
    ]);
  });

  it('stops when unsubscribed, commits what arrived, and resumes there', async () => {
    const first = fakeClient((asked) => {
      if (first.asked.length === 4) running.unsubscribe();
      return maps(asked);
    });
    const running = runFlow(crawl, { client: first, outDir, concurrency: 1 }).subscribe();
    await expect.poll(() => running.closed && !existsSync(join(outDir, '.trawler', 'run.lock'))).toBe(true);
    expect(first.asked).toHaveLength(4);
    const second = fakeClient(maps);
    expect((await run(crawl, second)).outcome).toBe('capped');
    expect(second.asked).toHaveLength(8 - 3); // the fourth response came when nobody wanted it any more
    expect(await rows('reviews.jsonl')).toHaveLength(6);
  });

  it('stops at a signal and still emits the summary', async () => {
    const stop = new AbortController();
    const client = fakeClient((asked) => {
      if (client.asked.length === 3) stop.abort();
      return maps(asked);
    });
    const summary = await run(crawl, client, { signal: stop.signal, concurrency: 1 });
    expect(summary).toMatchObject({ outcome: 'interrupted', because: 'it was stopped' });
    expect((await run(crawl, fakeClient(maps))).outcome).toBe('capped');
    expect(await rows('reviews.jsonl')).toHaveLength(6);
  });

  it('requests nothing when its signal was aborted before', async () => {
    const client = fakeClient(maps);
    expect(await run(crawl, client, { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'interrupted', because: 'it was stopped' });
    expect(client.asked).toEqual([]);
  });

  it('leaves nothing at its signal, which may live longer than many runs', async () => {
    const { signal } = new AbortController();
    const client = fakeClient((asked) => {
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      return maps(asked);
    });
    await run(crawl, client, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('lists no file without a byte when it stops', async () => {
    const stop = new AbortController();
    const client = fakeClient((asked) => {
      if (client.asked.length === 2) stop.abort();
      return maps(asked);
    });
    const { files } = await run(crawl, client, { signal: stop.signal, concurrency: 1 });
    expect(files.map(({ path }) => path)).toEqual(['places.jsonl']);
  });

  it('says which folder it can not make, and why', async () => {
    await writeFile(join(folder, 'file'), '');
    outDir = join(folder, 'file', 'out');
    await expect(run(crawl, fakeClient(maps))).rejects.toThrow(SinkError);
    await expect(run(crawl, fakeClient(maps))).rejects.toThrow(`${outDir}: making the folder failed: something on the way is not a folder`);
  });

  it('refuses another flow in the same folder, a second run at once, and files that no journal accounts for', async () => {
    await run(crawl, fakeClient(maps));
    await expect(run({ ...crawl, name: 'another' }, fakeClient(maps))).rejects.toThrow(/belongs to another flow \(crawl\)/);
    await expect(run(crawl, fakeClient(maps), { resume: false })).rejects.toThrow(FlowError);

    outDir = join(folder, 'busy');
    const slow = runFlow(crawl, { client: fakeClient(maps), outDir }).subscribe();
    await expect(run(crawl, fakeClient(maps))).rejects.toThrow(SinkError);
    await expect(run(crawl, fakeClient(maps))).rejects.toThrow(`process ${process.pid} on `);
    slow.unsubscribe();
    await expect.poll(() => existsSync(join(outDir, '.trawler', 'run.lock'))).toBe(false);

    outDir = join(folder, 'taken');
    await mkdir(outDir);
    await writeFile(join(outDir, 'places.jsonl'), 'mine');
    const client = fakeClient(maps);
    await expect(run(crawl, client)).rejects.toThrow(/has places\.jsonl already, and no journal/);
    expect(client.asked).toEqual([]);
    expect(await readFile(join(outDir, 'places.jsonl'), 'utf8')).toBe('mine');
  });

  it('takes over from a process that is gone', async () => {
    await mkdir(join(outDir, '.trawler'), { recursive: true });
    await writeFile(
      join(outDir, '.trawler', 'run.lock'),
      JSON.stringify({ host: (await import('node:os')).hostname(), pid: 2 ** 22 + 1, start: '1', boot: 'x', beat: 1_600_000_000_000 }),
    );
    expect((await run(crawl, fakeClient(maps))).outcome).toBe('capped');
  });

  it('starts over with fresh, and moves the old files aside', async () => {
    await run({ ...crawl, name: 'old' }, fakeClient(maps));
    const said = await events(crawl, fakeClient(maps), { fresh: true });
    expect(said.find(({ type }) => type === 'notice')).toMatchObject({
      message: expect.stringMatching(/^the files of an earlier run were moved to \S+\bold-1$/),
    });
    expect((await readdir(join(outDir, 'old-1'), { recursive: true })).sort()).toEqual([
      '.trawler',
      '.trawler/journal.jsonl',
      'datapackage.json',
      'places.jsonl',
      'report.html',
      'reviews.jsonl',
    ]);
    expect(await rows('places.jsonl')).toHaveLength(4);
    await run(crawl, fakeClient(maps), { fresh: true });
    expect(await readdir(outDir)).toContain('old-2');
  });

  it('records a failed query, and retries it with failures', async () => {
    const broken = fakeClient(smallResponse);
    const first = await run(smallFlow, broken);
    expect(first).toMatchObject({
      outcome: 'failed',
      because: "1 query failed and is in failures.jsonl; run them again with the option 'failures'",
    });
    expect(await rows('failures.jsonl')).toEqual([
      {
        stage: 'reviews',
        operation: 'mapsReviews',
        query: { data_id: 'id1' },
        cursor: '1',
        pages: 1,
        keep: { person: 'Person 1' },
        lineage: [{ stage: 'people', query: { mauthors: 'ann' } }],
        error: { name: 'HttpError', message: 'mapsReviews: status 404', status: 404, attempts: 1 },
        at: expect.any(String) as string,
      },
    ]);
    expect(broken.asked).toHaveLength(smallRequests);

    const mended = fakeClient((asked) => smallResponse(asked, true));
    const second = await run(smallFlow, mended, { failures: true });
    expect(second.outcome).toBe('complete');
    expect(mended.asked.map(({ query }) => query)).toEqual([{ data_id: 'id1', next_page_token: '1' }]);
    expect((await rows('reviews.jsonl')).filter(({ person }) => person === 'Person 1')).toHaveLength(4);
    expect(await readdir(outDir)).not.toContain('failures.jsonl');
  });

  it("delivers the pages before a repeated token, and doesn't write them twice on a retry", async () => {
    const circle = (token: string) =>
      fakeClient(({ query }) => {
        const page = String(query['next_page_token'] ?? 'a');
        return { reviews_results: [{ review_id: page }], next_page_token: { a: 'b', b: 'c', c: token }[page] ?? '' };
      });
    const flow: FlowDefinition = {
      name: 'circle',
      stages: { reviews: { call: 'mapsReviews', with: { data_id: 'x' }, pages: 'all', to: 'reviews.jsonl' } },
    };
    expect((await run(flow, circle('b'))).stages[0]).toMatchObject({ failed: 1, rows: 3 });
    expect(await rows('failures.jsonl')).toMatchObject([{ error: { name: 'PaginationError' }, cursor: 'c' }]);
    expect((await run(flow, circle('d'), { failures: true })).outcome).toBe('complete');
    expect((await rows('reviews.jsonl')).map((row) => row['review_id'])).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is interrupted when the key is refused, and can be resumed', async () => {
    const client = fakeClient((asked) => {
      if (client.asked.length > 2) throw new AuthError('mapsReviews: the key is refused', { status: 401 });
      return maps(asked);
    });
    const first = await run(crawl, client, { concurrency: 1 });
    expect(first).toMatchObject({ outcome: 'interrupted', because: 'mapsReviews: the key is refused' });
    expect(client.asked).toHaveLength(3);
    const second = fakeClient(maps);
    expect((await run(crawl, second)).outcome).toBe('capped');
    expect(second.asked).toHaveLength(6);
  });

  it("stops at the first failure with onError: 'fail'", async () => {
    const flow: FlowDefinition = {
      ...smallFlow,
      stages: { ...smallFlow.stages, reviews: { ...smallFlow.stages['reviews']!, onError: 'fail' } },
    };
    await expect(run(flow, fakeClient(smallResponse))).rejects.toThrow(HttpError);
    expect(
      (
        await run(
          flow,
          fakeClient((asked) => smallResponse(asked, true)),
        )
      ).outcome,
    ).toBe('complete');
    expect(await rows('reviews.jsonl')).toHaveLength(20);
  });

  it('stops when more than failAbove of the queries fail', async () => {
    const queries = Array.from({ length: 100 }, (_, index) => `q${index}`);
    const client = fakeClient((asked) => {
      if (asked.query['query'] === 'q0') return maps(asked);
      throw new HttpError('no', { query: asked.query, status: 404 });
    });
    const flow: FlowDefinition = {
      name: 'failing',
      failAbove: 0.2,
      stages: { places: { call: 'mapsSearch', with: { query: queries }, to: 'p.jsonl' } },
    };
    const summary = await run(flow, client, { concurrency: 1 });
    expect(summary.because).toMatch(/^19 of 20 queries have failed, which is more than failAbove \(0\.2\) allows/);
    expect(client.asked).toHaveLength(20);
  });

  it("stops at the client's budget, and resumes with another", async () => {
    const client = fakeClient((asked) => {
      if (client.asked.length > 4) throw new BudgetError('maxRequests (4) is used up');
      return maps(asked);
    });
    expect(await run(crawl, client, { concurrency: 1 })).toMatchObject({
      outcome: 'interrupted',
      because: expect.stringContaining('maxRequests is used up') as string,
    });
    const second = fakeClient(maps);
    expect((await run(crawl, second)).outcome).toBe('capped');
    expect(second.asked).toHaveLength(4);
  });

  it('counts retries in its own budget too, and never sends more', async () => {
    await using sandbox = await startSandbox({ faults: [{ fault: 'status', status: 503, share: 0.3 }] });
    for (let round = 0; round < 20; round++) {
      await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, retry: { baseMs: 1 } });
      const before = sandbox.count();
      const flow: FlowDefinition = {
        name: 'budget',
        maxRequests: 7,
        stages: {
          places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, to: 'places.jsonl' },
          reviews: { call: 'placeReviews', each: 'places', to: 'reviews.jsonl' },
        },
      };
      const summary = (await lastValueFrom(runFlow(flow, { client, outDir }))) as FlowSummary;
      expect(sandbox.count() - before).toBeLessThanOrEqual(7);
      if (summary.outcome !== 'interrupted') break;
      expect(summary.because).toBe("the flow's budget of 7 requests is used up");
    }
    expect(await rows('reviews.jsonl').then(({ length }) => length)).toBeGreaterThan(100);
  });

  it('notices changed seeds on resume, and takes added ones', async () => {
    const path = join(folder, 'cities.csv');
    const flow: FlowDefinition = {
      name: 'cities',
      stages: { places: { call: 'mapsSearch', each: path, with: { query: '$.city' }, to: 'p.jsonl' } },
    };
    await writeFile(path, `city\n${Array.from({ length: 200 }, (_, index) => `c${index}`).join('\n')}\n`);
    const stopping = fakeClient((asked) => {
      if (stopping.asked.length > 30) throw new BudgetError('used up');
      return maps(asked);
    });
    await run(flow, stopping, { concurrency: 4 });
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('c3\n', 'x3\n'));
    await expect(run(flow, fakeClient(maps))).rejects.toThrow(/the first \d+ seeds aren't those that the run began with/);
    await writeFile(path, `${text}more\n`);
    expect((await run(flow, fakeClient(maps))).outcome).toBe('capped');
    expect(await rows('p.jsonl')).toHaveLength(201);
  });

  it('takes 3,000 synchronous responses with a flat stack and a bounded backlog', async () => {
    const client = fakeClient(
      ({ query }) => ({
        reviews_results: [{ n: Number(query['next_page_token'] ?? 0) }],
        next_page_token: Number(query['next_page_token'] ?? 0) < 2999 ? String(Number(query['next_page_token'] ?? 0) + 1) : '',
      }),
      { sync: true },
    );
    const flow: FlowDefinition = {
      name: 'sync',
      stages: { reviews: { call: 'mapsReviews', with: { data_id: 'x' }, pages: 'all', to: 'r.jsonl' } },
    };
    expect((await run(flow, client)).stages[0]).toMatchObject({ rows: 3000, done: 1 });
  });

  it.each(ofTheDay(['ENOSPC', 'EIO'], 1))(
    'fails with %s at any operation of the disk, and comes to the same rows on one that is whole',
    async (code) => {
      const runOn = (disk: MemoryDisk) =>
        lastValueFrom(
          runFlow(smallFlow, {
            client: fakeClient(smallResponse),
            outDir: '/data/out',
            fileSystem: new MemoryFileSystem(disk),
            commitMs: 0,
          }),
        );
      const whole = new MemoryDisk();
      await runOn(whole);
      const failures: string[] = [];
      // An eighth of them today, the next ones tomorrow.
      for (const at of ofTheDay([...whole.log.keys()], Math.ceil(whole.log.length / 8))) {
        const sick = new MemoryDisk({ fault: (_, index) => (index === at ? code : undefined) });
        await runOn(sick).catch((error: Error) => failures.push(error.message));
        const well = sick.copy({});
        await runOn(well);
        for (const file of ['people.jsonl', 'reviews.jsonl', 'reviews.csv']) {
          expect(sorted(well, file), `${file} after ${code} at ${at}`).toEqual(sorted(whole, file));
        }
      }
      expect(failures.length).toBeGreaterThan(process.env['TRAWLER_LONG'] === '1' ? 20 : 5);
      expect(failures.filter((message) => !message.includes(code))).toEqual([]);
    },
  );

  it("commits nothing after a row that can't be written, and has the same rows after the next run", async () => {
    const odd = fakeClient((asked) =>
      asked.query['data_id'] === 'c2' ? { reviews_results: [{ review_id: 'half' }, { review_id: 5n }] } : maps(asked),
    );
    await expect(run(crawl, odd, { concurrency: 1 })).rejects.toThrow(/BigInt/);
    expect((await run(crawl, fakeClient(maps))).outcome).toBe('capped');
    expect((await rows('reviews.jsonl')).map((row) => String(row['review_id'])).sort()).toEqual([
      'a3-1',
      'a3-2',
      'a3-3',
      'b1-1',
      'c2-1',
      'c2-2',
    ]);
  });

  it('is interrupted when its client is closed, and the next run has all rows', async () => {
    await using sandbox = await startSandbox();
    const connect = () => createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited', concurrency: 2 });
    const places = { call: 'mapsSearch', with: { query: ['a', 'b', 'c', 'd'], ll: '@40.74,-73.98,14z' }, to: 'places.jsonl' } as const;
    const flow: FlowDefinition = { name: 'closed', stages: { places } };
    const closing = connect();
    let requests = 0;
    closing.events$.subscribe(({ type }) => type === 'request' && (requests += 1) === 3 && void closing.close());
    const stopped = await lastValueFrom(runFlow(flow, { client: closing, outDir, concurrency: 1 }));
    expect(stopped).toMatchObject({ outcome: 'interrupted', because: 'its client was closed' });
    await using client = connect();
    await lastValueFrom(runFlow(flow, { client, outDir }));
    const resumed = await rows('places.jsonl');
    await lastValueFrom(runFlow(flow, { client, outDir, fresh: true }));
    expect(resumed.map(textOf).sort()).toEqual((await rows('places.jsonl')).map(textOf).sort());
    expect(client.stats().requests).toBe(2 + 4);
  });

  it('refuses an output outside the folder through a link, before any request', async () => {
    await mkdir(outDir);
    await symlink(folder, join(outDir, 'away'));
    const client = fakeClient(maps);
    await expect(
      run({ name: 'out', stages: { places: { call: 'mapsSearch', with: { query: 'a' }, to: 'away/places.jsonl' } } }, client),
    ).rejects.toThrow(/symlink leads out/);
    expect(client.asked).toEqual([]);
  });

  it('refuses invalid options', () => {
    const client = fakeClient(maps);
    expect(() => runFlow(crawl, { client, outDir: '' })).toThrow(RangeError);
    expect(() => runFlow(crawl, { client, outDir, concurrency: 0 })).toThrow(
      'runFlow: concurrency must be a whole number from 1 on, not 0',
    );
    expect(() => runFlow(crawl, { client, outDir, maxRequests: 1.5 })).toThrow(RangeError);
    expect(() => runFlow({ name: 'x', stages: {} }, { client, outDir })).toThrow(FlowError);
  });

  it.each([
    ['fresh', 'runFlow: fresh starts over and failures adds to what is there. Use one of them.'],
    ['update', 'runFlow: update requests what is new and failures only what failed. Use one of them.'],
  ])('refuses failures together with %s', (other, message) => {
    expect(() => runFlow(crawl, { client: fakeClient(maps), outDir, failures: true, [other]: true })).toThrow(new RangeError(message));
  });
});

const textOf = (row: object): string => JSON.stringify(row);

function sorted(disk: MemoryDisk, file: string): string[] {
  return (disk.read(`/data/out/${file}`)?.toString('utf8') ?? 'nothing').split('\n').sort();
}
