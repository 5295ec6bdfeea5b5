import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createServiceClient } from '../src/client/createServiceClient.ts';
import { loadFlow, planFlow, type FlowDefinition } from '../src/flow/index.ts';
import { openStore } from '../src/store/index.ts';
import type { MemoryDisk } from './disk/MemoryDisk.ts';
import { remoteClient } from './bullmq/remoteClient.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { bodyOf, startServer, type TestServer } from './client/startServer.ts';
import { ownService } from './ownService.ts';
import { killAndResume, runInMemory } from './flowInMemory.ts';

const code = `
export default defineService({
  name: 'tube',
  operations: {
    search: defineOperation({
      get: '/search',
      params: { q: { type: 'string', required: true } },
      response: { rows: [{ id: 'string', channel: 'string' }], total: 'integer' },
      rows: 'rows',
      query: { page: '\${page:1}' }, total: 'total',
    }),
    videos: defineOperation({
      get: '/videos',
      query: { ids: '\${ids:comma}' },
      params: { ids: { type: 'strings', batch: { size: 50, id: 'about.id' }, required: true } },
      response: { rows: [{ about: { id: 'string' }, views: 'integer' }] },
      rows: 'rows',
    }),
    comments: defineOperation({
      post: '/comments',
      params: { of: { type: 'strings', batch: { size: 10, id: 'video' } } },
      response: { rows: [{ id: 'string', video: 'string' }], next: 'string|null' },
      rows: 'rows',
      body: { token: '\${cursor}' }, next: 'next',
    }),
  },
});
`;
const flow = {
  name: 'tube',
  stages: {
    found: { call: 'search', with: { q: ['a', 'b'] }, pages: 'all', to: 'found.jsonl' },
    videos: { call: 'videos', each: 'found', with: { ids: '$.id' }, keep: { id: '$.id', channel: '$.channel' }, to: 'videos.csv' },
    comments: { call: 'comments', each: 'videos', with: { of: '$.id' }, keep: { of: '$.id' }, pages: 'all', to: 'comments.jsonl' },
  },
};
const ids = ['a', 'b'].flatMap((q) => Array.from({ length: 50 }, (_, i) => `${q}${i}`));
/** Nobody knows those that end in 7. */
const known = ids.filter((id) => !id.endsWith('7'));

describe('a flow whose ids share requests', () => {
  const own = ownService('tube', code, flow);
  let server: TestServer;
  let seen: string[] = [];
  let bad: string | undefined;

  const answer = (url: URL, body: string): object | undefined => {
    if (url.pathname === '/search') {
      const q = url.searchParams.get('q')!;
      const page = Number(url.searchParams.get('page') ?? 1);
      const rows = Array.from({ length: 25 }, (_, i) => (page - 1) * 25 + i).map((i) => ({ id: `${q}${i}`, channel: `of ${q}${i}` }));
      return { rows: page > 2 ? [] : rows, total: 50 };
    }
    if (url.pathname === '/videos') {
      const asked = url.searchParams.get('ids')!.split(',');
      if (asked.length > 50 || asked.includes(bad!)) return undefined;
      return { rows: asked.filter((id) => known.includes(id)).map((id) => ({ about: { id }, views: id.length })) };
    }
    const { of, token = `${of.join('+')}:0` } = JSON.parse(body) as { readonly of: readonly string[]; readonly token?: string };
    const [given, at] = token.split(':') as [string, string];
    if (given !== of.join('+')) return undefined; // such a token is for these ids only
    const rows = of.flatMap((id) => [0, 1, 2].map((n) => ({ id: `${id}-${n}`, video: id })));
    const next = Number(at) + 12;
    return { rows: rows.slice(Number(at), next), next: next < rows.length ? `${given}:${next}` : null };
  };

  beforeAll(async () => {
    server = await startServer((request, response) => {
      void bodyOf(request).then((body) => {
        seen.push(`${request.url!} ${body}`);
        const reply = answer(new URL(request.url!, 'http://tube'), body);
        response.writeHead(reply === undefined ? 400 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(reply ?? { error: 'no' }));
      });
    });
  });
  beforeEach(() => {
    seen = [];
    bad = undefined;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const run = async (out: string, ...more: string[]): Promise<number> => {
    const argv = ['run', own.flow, '--out', out, '--quiet', ...more];
    return (await runInProcess(argv, { env: { TRAWLER_BASE_URL: server.url } })).code;
  };
  const open = () => createServiceClient(own.service, { baseUrl: server.url, rate: 'unlimited' });
  const onDisk = (disk: MemoryDisk) => (file: string) => String(disk.read(`/out/${file}`));
  const inFolder = (out: string) => (file: string) => readFileSync(join(out, file), 'utf8');
  const sent = (path: string): number => seen.filter((url) => url.startsWith(path)).length;

  const filesOf = (read: (file: string) => string): readonly string[][] =>
    ['videos.csv', 'comments.jsonl'].map((file) => read(file).trim().split(/\r?\n/).toSorted()); // prettier-ignore
  const all = [
    ['id,channel,about.id,views', ...known.map((id) => `${id},of ${id},${id},${id.length}`)].toSorted(),
    known.flatMap((id) => [0, 1, 2].map((n) => JSON.stringify({ of: id, id: `${id}-${n}`, video: id }))).toSorted(),
  ];

  it('shares requests, and counts ids without rows as empty queries', async () => {
    const out = join(own.folder, 'plain');
    expect(await run(out)).toBe(0);
    expect(filesOf(inFolder(out))).toEqual(all);
    expect([sent('/search'), sent('/videos')]).toEqual([4, 3]);
    expect(sent('/comments')).toBeLessThan(10 * 3); // one batch more if two turns led to them
  });

  it('plans them', async () => {
    const seeds = { ...flow, service: './service.mjs', stages: { videos: { call: 'videos', with: { ids }, to: 'videos.csv' } } };
    await writeFile(join(own.folder, 'seeds.json'), JSON.stringify(seeds));
    const { requests, stages } = await planFlow(await loadFlow(join(own.folder, 'seeds.json')));
    expect(requests).toMatchObject({ atLeast: 2, atMost: 2 });
    expect(stages[0]!.why).toContain('ids: up to 50 ids in one request');
    const planned = await runInProcess(['run', join(own.folder, 'seeds.json'), '--out', join(own.folder, 'seeds')], {
      env: { TRAWLER_BASE_URL: server.url },
    });
    expect([planned.code, seen.length]).toEqual([0, 2]);
  });

  it.each([3, 8, 20])('gives every row once when it is killed after %d requests and resumed', async (after) => {
    expect(
      filesOf(onDisk(await killAndResume({ ...flow, service: own.service } as FlowDefinition, open, () => seen.length > after))),
    ).toEqual(all);
  });

  it('fails for the bad id only, which runs again with --failures', async () => {
    bad = 'a13';
    const out = join(own.folder, 'bad');
    expect(await run(out)).toBe(1);
    const failures = (await readFile(join(out, 'failures.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(failures).toMatchObject([{ stage: 'videos', query: { ids: ['a13'] } }]);
    bad = undefined;
    expect(await run(out, '--failures')).toBe(0);
    expect(filesOf(inFolder(out))).toEqual(all);
  });

  it('finds each id in a store, whatever it was requested with', async () => {
    const [out, kept] = [join(own.folder, 'stored'), join(own.folder, 'kept')];
    expect(await run(out, '--store', kept)).toBe(0);
    seen = [];
    const again = join(own.folder, 'again');
    expect(await run(again, '--store', kept)).toBe(0);
    expect(filesOf(inFolder(again))).toEqual(all);
    expect(seen).toEqual([]);
    await using client = createServiceClient(own.service, { baseUrl: server.url, store: openStore(kept) });
    const { videos } = client as unknown as { videos: (query: object) => ReturnType<typeof client.events$.pipe> };
    expect(await firstValueFrom(videos({ ids: ['a1'] }))).toMatchObject({ items: [{ about: { id: 'a1' } }] });
    expect(seen).toEqual([]);
  });

  it('takes a list of ids on the command line', async () => {
    const env = { TRAWLER_BASE_URL: server.url };
    const called = await runInProcess(['call', 'videos', '--service', own.file, '--ids', 'a1', '--ids', 'b2', '--format', 'jsonl'], {
      env,
    });
    expect([called.code, called.stdout.trim().split('\n').length, seen.length]).toEqual([0, 2, 1]);
  });

  it('gives every row once where workers send the requests', async () => {
    await using worker = open();
    await using client = remoteClient(worker);
    expect(filesOf(onDisk(await runInMemory({ ...flow, service: own.service } as FlowDefinition, client)))).toEqual(all);
    expect(sent('/videos')).toBeLessThanOrEqual(4);
  });
});
