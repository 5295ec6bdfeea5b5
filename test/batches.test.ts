import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { loadService } from '../src/contract/index.ts';
import { createServiceClient } from '../src/client/createServiceClient.ts';
import { loadFlow, planFlow } from '../src/flow/index.ts';
import { openStore } from '../src/store/index.ts';
import { hasRedis, startRedis } from './bullmq/startRedis.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { ofTheDay } from './ofTheDay.ts';
import { startServer, type TestServer } from './client/startServer.ts';
import { until } from './client/testClient.ts';

const moduleOf = (dist: string): string => `
import { defineOperation, defineService } from '${dist}/bundle/index.js';
export default defineService({
  name: 'tube',
  operations: {
    search: defineOperation({
      path: '/search',
      params: { q: { type: 'string', required: true }, page: { type: 'integer' } },
      response: { rows: [{ id: 'string', channel: 'string' }], total: 'integer' },
      list: 'rows',
      paging: { kind: 'offset', param: 'page', first: 1, step: 1, total: 'total' },
    }),
    videos: defineOperation({
      path: '/videos',
      params: { ids: { type: 'strings', style: 'comma', batch: 50, match: 'about.id', required: true } },
      response: { rows: [{ about: { id: 'string' }, views: 'integer' }] },
      list: 'rows',
      paging: { kind: 'none' },
    }),
    comments: defineOperation({
      method: 'POST',
      path: '/comments',
      params: { of: { type: 'strings', batch: 10, match: 'video' }, token: { type: 'string' } },
      response: { rows: [{ id: 'string', video: 'string' }], next: 'string|null' },
      list: 'rows',
      paging: { kind: 'cursor', param: 'token', at: ['next'] },
    }),
  },
});
`;
const flow = {
  name: 'tube',
  service: './tube.mjs',
  stages: {
    found: { call: 'search', with: { q: ['a', 'b'] }, pages: 'all', to: 'found.jsonl' },
    videos: { call: 'videos', each: 'found', with: { ids: '$.id' }, keep: { id: '$.id', channel: '$.channel' }, to: 'videos.csv' },
    comments: { call: 'comments', each: 'videos', with: { of: '$.id' }, keep: { of: '$.id' }, pages: 'all', to: 'comments.jsonl' },
  },
};
const ids = ['a', 'b'].flatMap((q) => Array.from({ length: 100 }, (_, i) => `${q}${i}`));
/** Nobody knows those that end in 7. */
const known = ids.filter((id) => !id.endsWith('7'));

describe('a flow whose ids share requests', () => {
  let server: TestServer;
  let seen: string[] = [];
  let bad: string | undefined;
  let folder: string;
  let modules: string;

  const answer = (url: URL, body: string): object | undefined => {
    if (url.pathname === '/search') {
      const q = url.searchParams.get('q')!;
      const page = Number(url.searchParams.get('page') ?? 1);
      const rows = Array.from({ length: 25 }, (_, i) => (page - 1) * 25 + i).map((i) => ({ id: `${q}${i}`, channel: `of ${q}${i}` }));
      return { rows: page > 4 ? [] : rows, total: 100 };
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
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        seen.push(`${request.url!} ${body}`);
        const reply = answer(new URL(request.url!, 'http://tube'), body);
        response.writeHead(reply === undefined ? 400 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(reply ?? { error: 'no' }));
      });
    });
    folder = await mkdtemp(join(tmpdir(), 'trawler-batches-'));
    modules = join(inject('dist'), 'batches');
    await mkdir(modules, { recursive: true });
    await writeFile(join(modules, 'tube.mjs'), moduleOf(inject('dist')));
    await writeFile(join(modules, 'flow.json'), JSON.stringify(flow));
  });
  beforeEach(() => {
    seen = [];
    bad = undefined;
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
    await rm(modules, { recursive: true, force: true });
  });

  const cli = join(inject('dist'), 'bundle/cli.js');
  const spawnRun = (out: string, ...more: string[]) =>
    spawn(process.execPath, [cli, 'run', join(modules, 'flow.json'), '--out', out, '--quiet', ...more], {
      env: { ...process.env, TRAWLER_BASE_URL: server.url },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const command = async (argv: readonly string[], signal = new AbortController().signal): Promise<number> =>
    (await runInProcess(argv, { env: { TRAWLER_BASE_URL: server.url }, signal })).code;
  const run = (out: string, ...more: string[]): Promise<number> =>
    command(['run', join(modules, 'flow.json'), '--out', out, '--quiet', ...more]);
  const linesOf = async (out: string, file: string): Promise<string[]> =>
    (await readFile(join(out, file), 'utf8')).trim().split(/\r?\n/).toSorted();
  const sent = (path: string): number => seen.filter((url) => url.startsWith(path)).length;

  const expectAll = async (out: string): Promise<void> => {
    const videos = known.map((id) => `${id},of ${id},${id},${id.length}`);
    expect(await linesOf(out, 'videos.csv')).toEqual([...videos, 'id,channel,about.id,views'].toSorted());
    const comments = known.flatMap((id) => [0, 1, 2].map((n) => JSON.stringify({ of: id, id: `${id}-${n}`, video: id })));
    const found = await linesOf(out, 'comments.jsonl');
    expect(found.length).toBe(comments.length);
    expect(found.join('\n')).toBe(comments.toSorted().join('\n'));
  };

  it('sends as few requests as they need, and counts ids without rows as empty queries', async () => {
    const out = join(folder, 'plain');
    expect(await run(out)).toBe(0);
    await expectAll(out);
    expect([sent('/search'), sent('/videos'), sent('/comments')]).toEqual([8, 4, 18 * 3]);
  }, 30_000);

  it('plans them', async () => {
    const seeds = { ...flow, stages: { videos: { call: 'videos', with: { ids }, to: 'videos.csv' } } };
    await writeFile(join(modules, 'seeds.json'), JSON.stringify(seeds));
    const { requests, stages } = await planFlow(await loadFlow(join(modules, 'seeds.json')));
    expect(requests).toMatchObject({ atLeast: 4, atMost: 4 });
    expect(stages[0]!.why).toContain('ids: up to 50 ids in one request');
    const planned = await runInProcess(['run', join(modules, 'seeds.json'), '--out', join(folder, 'seeds')], {
      env: { TRAWLER_BASE_URL: server.url },
    });
    expect([planned.code, seen.length]).toEqual([0, 4]);
  });

  it('gives every row once when it is killed and resumed', async () => {
    const out = join(folder, 'killed');
    for (const after of ofTheDay([10, 30, 20], 1)) {
      const before = seen.length;
      const child = spawnRun(out, '--rate', '200');
      await until(() => seen.length > before + after, 'requests');
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect(await run(out)).toBe(0);
    await expectAll(out);
  }, 60_000);

  it('fails for the bad id only, which runs again with --failures', async () => {
    bad = 'a13';
    const out = join(folder, 'bad');
    expect(await run(out)).toBe(1);
    const failures = (await readFile(join(out, 'failures.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(failures).toMatchObject([{ stage: 'videos', query: { ids: ['a13'] } }]);
    bad = undefined;
    expect(await run(out, '--failures')).toBe(0);
    await expectAll(out);
  }, 60_000);

  it('finds each id in a store, whatever it was requested with', async () => {
    const [out, kept] = [join(folder, 'stored'), join(folder, 'kept')];
    expect(await run(out, '--store', kept)).toBe(0);
    seen = [];
    const again = join(folder, 'again');
    expect(await run(again, '--store', kept)).toBe(0);
    await expectAll(again);
    expect(seen).toEqual([]);
    const service = await loadService(join(modules, 'tube.mjs'));
    await using client = createServiceClient(service, { baseUrl: server.url, store: openStore(kept) });
    const { videos } = client as unknown as { videos: (query: object) => ReturnType<typeof client.events$.pipe> };
    expect(await firstValueFrom(videos({ ids: ['a1'] }))).toMatchObject({ items: [{ about: { id: 'a1' } }] });
    expect(seen).toEqual([]);
  }, 60_000);

  it('takes a list of ids on the command line', async () => {
    const env = { TRAWLER_BASE_URL: server.url };
    const called = await runInProcess(
      ['call', 'videos', '--service', join(modules, 'tube.mjs'), '--ids', 'a1', '--ids', 'b2', '--format', 'jsonl'],
      { env },
    );
    expect([called.code, called.stdout.trim().split('\n').length, seen.length]).toEqual([0, 2, 1]);
  });

  it.skipIf(!hasRedis())(
    'gives every row once over BullMQ',
    async () => {
      const redis = await startRedis({ persistent: false });
      const end = new AbortController();
      const worker = command(['worker', join(modules, 'flow.json'), '--queue', redis.url], end.signal);
      try {
        const out = join(folder, 'queue');
        expect(await run(out, '--queue', redis.url)).toBe(0);
        await expectAll(out);
        expect(sent('/videos')).toBeLessThanOrEqual(6);
      } finally {
        end.abort('SIGTERM');
        await worker;
        await redis.close();
      }
    },
    60_000,
  );
});
