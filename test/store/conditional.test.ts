import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { items, offsetPages, type OffsetPaging, type PageFactory, type PageLike } from '../../operators/index.ts';
import type { ClientEvent } from '../../src/client/events/clientEvents.ts';
import { defineOperation, loadService, type ResponseStore, type Service } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { openStore, verifyStore, type Store } from '../../src/store/index.ts';
import { hasRedis, startRedis } from '../bullmq/startRedis.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { startServer, type TestServer } from '../client/startServer.ts';

const moduleOf = (dist: string): string => `
import { defineOperation, defineService } from '${dist}/bundle/index.js';
export default defineService({
  name: 'news',
  operations: {
    search: defineOperation({
      get: '/search',
      conditional: true,
      params: { q: { type: 'string', required: true }, page: { type: 'integer' } },
      response: { rows: [{ id: 'string' }] },
      list: 'rows',
      paging: { kind: 'offset', param: 'page', first: 1, step: 1 },
    }),
  },
});
`;

describe('conditional: true', () => {
  let server: TestServer;
  let folder: string;
  let modules: string;
  let service: Service;
  let seen: { full: number; unchanged: number };
  /** What the service says of a page: its marks, which change with its rows. */
  let edition: number;
  let marks: (mark: string) => { readonly [header: string]: string };

  beforeAll(async () => {
    server = await startServer((request, response) => {
      const { searchParams } = new URL(request.url!, 'http://news');
      const page = Number(searchParams.get('page') ?? 1);
      const mark = `"${page}-${page === 1 ? edition : 0}"`;
      const said = marks(mark);
      const { 'if-none-match': match, 'if-modified-since': since } = request.headers;
      const isSame = match === undefined ? since !== undefined && since === said['last-modified'] : match === said['etag'];
      seen[isSame ? 'unchanged' : 'full']++;
      const rows = page > 2 ? [] : [{ id: `${searchParams.get('q')}-${mark}` }];
      if (isSame) response.writeHead(304, said).end();
      else response.writeHead(200, said).end(JSON.stringify({ rows }));
    });
    folder = await mkdtemp(join(tmpdir(), 'trawler-conditional-'));
    modules = join(inject('dist'), 'conditional');
    await mkdir(modules, { recursive: true });
    await writeFile(join(modules, 'news.mjs'), moduleOf(inject('dist')));
    service = await loadService(join(modules, 'news.mjs'));
  });
  beforeEach(() => {
    seen = { full: 0, unchanged: 0 };
    edition = 1;
    marks = (mark) => ({ etag: mark });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
    await rm(modules, { recursive: true, force: true });
  });

  let runs = 0;
  let now = Date.now();
  const newFolder = (): string => join(folder, `kept-${runs++}`);
  const walk = async (
    kept: string,
    as: (store: Store) => ResponseStore = (store) => store,
  ): Promise<{ ids: string[]; stats: object; statuses: number[] }> => {
    await using store = openStore(kept, { maxAgeMs: 60_000, now: () => now });
    await using client = createClient({ service, baseUrl: server.url, store: as(store) });
    const events: ClientEvent[] = [];
    client.events$.subscribe((event) => events.push(event));
    const { search } = client as unknown as { readonly search: PageFactory<object, PageLike, OffsetPaging> };
    const rows = await lastValueFrom(of({ q: 'sea' }).pipe(offsetPages(search, { concurrency: 1 }), items(), toArray()));
    const statuses = events.flatMap((event) => (event.type === 'response' ? event.status : []));
    return { ids: rows.map((row) => (row as { readonly id: string }).id), stats: client.stats(), statuses };
  };
  const both = (first: number): string[] => [`sea-"1-${first}"`, 'sea-"2-0"'];

  it('takes a stored response that is too old again after a 304, and it is as good as new then', async () => {
    const kept = newFolder();
    expect(await walk(kept)).toMatchObject({ ids: both(1), stats: { requests: 3, notModified: 0 } });
    expect(await walk(kept)).toMatchObject({ ids: both(1), stats: { requests: 0, hits: 3 } });
    now += 61_000;
    const second = await walk(kept);
    expect(second).toMatchObject({ ids: both(1), statuses: [304, 304, 304] });
    expect(second.stats).toMatchObject({ requests: 3, hits: 0, responses: 3, notModified: 3, failures: 0, retries: 0 });
    now += 30_000;
    expect(await walk(kept)).toMatchObject({ ids: both(1), stats: { requests: 0, hits: 3 } });
    now += 31_000;
    edition = 2;
    expect(await walk(kept)).toMatchObject({ ids: both(2), statuses: [200, 304, 304], stats: { notModified: 2 } });
    expect(seen).toEqual({ full: 4, unchanged: 5 });
    expect(verifyStore(kept).faults).toEqual([]);
  });

  it.each<[string, (mark: string) => { readonly [header: string]: string }, number]>([
    ['by Last-Modified alone', () => ({ 'last-modified': 'Sat, 01 Nov 2025 08:00:00 GMT' }), 3],
    ['not, if the service tells neither', () => ({}), 0],
  ])('asks %s', async (_, say, unchanged) => {
    marks = say;
    const kept = newFolder();
    await walk(kept);
    now += 61_000;
    expect(await walk(kept)).toMatchObject({ ids: both(1), stats: { requests: 3, notModified: unchanged } });
  });

  it('asks for the whole response if the stored one is gone meanwhile', async () => {
    const kept = newFolder();
    await walk(kept);
    now += 61_000;
    let looks = 0;
    const forgetful = (store: Store): ResponseStore => ({
      mode: 'reuse',
      folder: kept,
      failure: undefined,
      find: (request, age) => (age === 'any' && looks++ % 2 === 0 ? store.find(request, age) : { kind: 'miss' }),
      keep: (request, response) => store.keep(request, response),
      sync: () => store.sync(),
    });
    expect(await walk(kept, forgetful)).toMatchObject({ ids: both(1), statuses: [200, 200, 200], stats: { requests: 6, notModified: 0 } });
    expect(seen).toEqual({ full: 6, unchanged: 3 });
  });

  const ways: readonly (readonly [string, boolean])[] = [
    ['on one machine', false],
    ['over BullMQ', true],
  ];
  it.skipIf(!hasRedis()).each(ways)(
    'holds for flows, %s',
    async (_, queued) => {
      const flow = {
        name: 'news',
        service: './news.mjs',
        stages: { news: { call: 'search', with: { q: ['sea'] }, pages: 'all', to: 'news.jsonl' } },
      };
      const file = join(modules, 'flow.json');
      await writeFile(file, JSON.stringify(flow));
      const [kept, env] = [newFolder(), { TRAWLER_BASE_URL: server.url }];
      const redis = queued ? await startRedis({ persistent: false }) : undefined;
      const queue = redis === undefined ? [] : ['--queue', redis.url];
      const stop = new AbortController();
      const worker = redis && runInProcess(['worker', file, ...queue], { env, signal: stop.signal });
      const run = async (out: string, ...more: string[]) => {
        const path = join(kept, '..', out);
        const { code, stdout, stderr } = await runInProcess(['run', file, '--out', path, '--store', kept, ...more, ...queue], { env });
        const report = await readFile(join(path, 'report.html'), 'utf8');
        return { code, said: stdout + stderr, report, rows: (await readFile(join(path, 'news.jsonl'), 'utf8')).trim().split('\n') };
      };
      try {
        const first = await run(`a-${queued}`);
        await new Promise((turn) => setTimeout(turn, 30));
        const second = await run(`b-${queued}`, '--max-age', '0.01s');
        expect([first.code, second.code, second.rows]).toEqual([0, 0, first.rows]);
        expect(seen).toEqual({ full: 3, unchanged: 3 });
        expect(second.said).toContain('3 stored pages are as before');
        edition = 2;
        await new Promise((turn) => setTimeout(turn, 30));
        const update = await run(`a-${queued}`, '--update', '--max-age', '0.01s');
        expect([update.code, update.rows]).toEqual([0, [JSON.stringify({ id: 'sea-"1-2"' }), first.rows[1]]]);
        expect(seen).toEqual({ full: 4, unchanged: 5 });
        expect(update.said).toContain('3 requests, 2 × 304');
        expect(update.report).toMatch(/304: stored pages as before[^0-9]*<[^>]*>2</);
      } finally {
        stop.abort();
        await worker;
        await redis?.close();
      }
    },
    60_000,
  );

  it('is for the method GET', () => {
    const { spec } = service.operations['search']!;
    expect(() => defineOperation({ ...spec, get: undefined, post: '/search' } as never)).toThrow('conditional needs get, not post');
  });
});
