import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { from, lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { items, offsetPages, type OffsetPaging, type PageFactory, type PageLike } from '../operators/index.ts';
import { createClient } from '../src/createClient.ts';
import type { Operation } from '../src/contract/index.ts';
import { runFlow, type FlowSummary } from '../src/flow/index.ts';
import { defineOperation, defineService } from '../src/index.ts';
import { openStore } from '../src/store/index.ts';
import { hasRedis, startRedis } from './bullmq/startRedis.ts';
import { ofTheDay } from './ofTheDay.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { startServer, type TestServer } from './client/startServer.ts';
import { errorOf } from './client/testClient.ts';
import { ownService } from './ownService.ts';
import { withoutOwnWords } from './search/withoutOwnWords.ts';

const code = `
export default defineService({
  name: 'words',
  failures: [
    { status: 404, means: 'empty' },
    { status: 200, at: 'error', is: 'Nothing found.', means: 'empty' },
    { status: 200, at: 'error.code', is: ['maxlag', 'ratelimited'], means: 'throttled', until: 'error.wait' },
    { status: 403, at: 'header:x-left', is: '0', means: 'quota', until: 'header:x-reset' },
    { status: 402, means: 'quota' },
    { status: 200, at: 'rows[].trouble', is: 'overloaded', means: 'busy' },
    { status: 503, at: 'error.code', is: 'gone', means: 'final' },
    { status: 200, at: 'error.code', is: 'bad_key', means: 'auth' },
  ],
  operations: {
    search: defineOperation({
      get: '/search',
      params: { q: { type: 'string', required: true } },
      response: { rows: [{ 'id?': 'string', 'trouble?': 'string' }] },
      rows: 'rows',
      query: { page: '\${page:1}' },
    }),
  },
});
`;

/** What the service does about one request, by the word that is searched for. */
type Behaviour = (nth: number, response: ServerResponse) => object | undefined;

describe('the failures that a service declares', () => {
  const own = ownService('words', code);
  let server: TestServer;
  let seen: string[];
  /** Called once per request of a word; without one the word has two pages of two rows. */
  let behaviours: { readonly [word: string]: Behaviour };

  beforeAll(async () => {
    server = await startServer((request, response) => {
      const { searchParams } = new URL(request.url!, 'http://words');
      const [q, page] = [searchParams.get('q')!, Number(searchParams.get('page') ?? 1)];
      const body = behaviours[q]?.(seen.filter((word) => word === q).length, response);
      seen.push(q);
      const rows = page > 2 ? [] : [0, 1].map((row) => ({ id: `${q}-${page}${row}` }));
      response.end(JSON.stringify(body ?? { rows }));
    });
  });
  beforeEach(() => {
    seen = [];
    behaviours = {};
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const open = (options: object = {}) =>
    createClient({ service: own.service, baseUrl: server.url, rate: 'unlimited', retry: { baseMs: 1 }, ...options });
  const rows$ = (client: object, ...words: string[]) => {
    const { search } = client as { readonly search: PageFactory<object, PageLike, OffsetPaging> };
    return from(words.map((q) => ({ q }))).pipe(offsetPages(search, { concurrency: 1 }), items());
  };
  const idsOf = async (client: object, ...words: string[]): Promise<string[]> =>
    (await lastValueFrom(rows$(client, ...words).pipe(toArray()))).map((row) => (row as { readonly id: string }).id);
  const four = (word: string): string[] => ['10', '11', '20', '21'].map((place) => `${word}-${place}`);
  const refusing =
    (times: number, status: number, headers: () => object, body: object = {}): Behaviour =>
    (nth, response) => {
      if (nth >= times) return undefined;
      response.writeHead(status, headers() as Record<string, string>);
      return body;
    };

  /** A page with these headers at first. */
  const telling =
    (headers: { readonly [name: string]: string }): Behaviour =>
    (nth, response) => {
      if (nth === 0) for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      return undefined;
    };

  it.each<[string, Behaviour]>([
    ['a status', (_, response) => (response.writeHead(404), { message: 'no such word' })],
    ['a status without a body', (_, response) => (response.writeHead(404), undefined)],
    ['a value in the body of HTTP 200', () => ({ search: { words: 1 }, error: 'Nothing found.' })],
  ])('may mean that there are no rows: by %s', async (_, behaviour) => {
    behaviours = { none: behaviour };
    const kept = join(own.folder, `kept-${seen.length}-${Math.random()}`);
    for (const requests of [4, 4]) {
      await using store = openStore(kept);
      await using client = open({ store });
      expect(await idsOf(client, 'none', 'sea')).toEqual(four('sea'));
      expect(client.stats()).toMatchObject({ failures: 0, retries: 0 });
      expect(seen).toHaveLength(requests); // the second time all of them come from the store
    }
  });

  it('of an operation go before those of its service, also for a stored response', async () => {
    const { search } = own.service.operations as unknown as { readonly [name: string]: Operation };
    const failures = [
      { status: 404, means: 'final' },
      { status: 410, means: 'empty' },
    ] as const;
    const { operations: _, ...rest } = own.service;
    const service = defineService({
      ...rest,
      operations: {
        search: defineOperation({ ...withoutOwnWords(search!.spec), failures }),
        other: defineOperation({ ...withoutOwnWords(search!.spec), name: 'other' }),
      },
    });
    behaviours = { none: (_, response) => (response.writeHead(404), {}), gone: (_, response) => (response.writeHead(410), {}) };
    await using store = openStore(join(own.folder, 'of-an-operation'));
    for (const stored of [0, 1]) {
      await using client = open({ service, store });
      expect(await errorOf(rows$(client, 'none'))).toMatchObject({ name: 'HttpError', kind: 'final', attempts: 1 });
      expect(await idsOf(client, 'gone')).toEqual([]);
      expect(client.stats().hits).toBe(stored);
      const others = { search: (client as unknown as { readonly other: unknown }).other };
      expect(await idsOf(others, 'none')).toEqual([]);
      expect(await errorOf(rows$(others, 'gone'))).toMatchObject({ kind: 'final' });
    }
  });

  it.each<[string, string, object]>([
    ['a rule says so', 'none', { outcome: 'complete', doubts: [] }],
    ['a page has no rows', 'bare', { outcome: 'doubtful', doubts: [expect.stringContaining('its query gave no row')] }],
  ])('are no reason for doubt: that there are no rows, because %s', async (_, word, stage) => {
    behaviours = { none: (_, response) => (response.writeHead(404), {}), bare: () => ({ rows: [] }) };
    await using client = open();
    const stages = { words: { call: 'search', with: { q: word }, to: 'words.jsonl' } };
    const run$ = runFlow({ name: 'words', service: own.service, stages }, { client, outDir: join(own.folder, `doubt-${word}`) });
    expect(((await lastValueFrom(run$)) as FlowSummary).stages[0]).toMatchObject({ rows: 0, empty: 1, ...stage });
  });

  it('are read before the response is: words that no rule names fail as ever', async () => {
    behaviours = { bad: () => ({ error: 'Not allowed.' }) };
    await using client = open();
    expect(await errorOf(rows$(client, 'bad'))).toMatchObject({ name: 'EnvelopeError', kind: 'final', attempts: 1 });
  });

  it.each<[string, Behaviour, string]>([
    ['throttled, with HTTP 200', refusing(1, 200, () => ({}), { error: { code: 'maxlag', wait: 0.1 } }), 'throttled'],
    [
      'throttled, with HTTP 200 and Retry-After',
      refusing(1, 200, () => ({ 'retry-after': '0.1' }), { error: { code: 'maxlag' } }),
      'throttled',
    ],
    ['a quota', refusing(1, 403, () => ({ 'x-left': '0', 'x-reset': `${Date.now() + 100}` })), 'quota'],
  ])('pause the whole client until the time that they name: %s', async (_, behaviour, kind) => {
    behaviours = { sea: behaviour };
    await using client = open();
    const kinds: unknown[] = [];
    client.events$.subscribe((event) => event.type === 'retry' && kinds.push(event.error.kind));
    const begun = performance.now();
    expect(await idsOf(client, 'sea', 'air')).toEqual([...four('sea'), ...four('air')]);
    expect(performance.now() - begun).toBeGreaterThan(95);
    expect(kinds).toEqual([kind]);
    expect(seen).toHaveLength(7);
  });

  it('may be told by any row, also where rows are written as they came', async () => {
    const overloaded: Behaviour = (nth) => (nth === 0 ? { rows: [{ id: 'sea-10' }, { trouble: 'overloaded' }] } : undefined);
    behaviours = { sea: overloaded };
    await using client = open();
    expect(await idsOf(client, 'sea')).toEqual(four('sea'));
    seen = [];
    await writeFile(
      join(own.folder, 'one.json'),
      JSON.stringify({ ...flow, stages: { words: { ...flow.stages.words, with: { q: ['sea'] } } } }),
    );
    const out = await mkdtemp(join(own.folder, 'lazy-'));
    const { code } = await runInProcess(['run', join(own.folder, 'one.json'), '--out', out], { env: { TRAWLER_BASE_URL: server.url } });
    expect([code, await rowsIn(join(out, 'words.jsonl'))]).toEqual([0, four('sea')]);
  });

  it('are ordinary limits once the time of a quota is over', async () => {
    behaviours = { sea: refusing(1, 403, () => ({ 'x-left': '0', 'x-reset': `${Date.now() - 5000}` })) };
    await using client = open();
    expect(await idsOf(client, 'sea')).toEqual(four('sea'));
    expect(client.stats()).toMatchObject({ retries: 1, throttled: 1 });
  });

  it.each<[string, Behaviour, number]>([
    ['busy', refusing(1, 200, () => ({}), { rows: [{ trouble: 'overloaded' }] }), 1],
    ['throttled', refusing(1, 200, () => ({ 'retry-after': '0' }), { error: { code: 'ratelimited' } }), 1],
    ['quota', refusing(1, 403, () => ({ 'x-left': '0', 'x-reset': `${Date.now() + 50}` })), 1],
    ['empty', (_, response) => (response.writeHead(404), {}), 0],
    ['final', refusing(9, 503, () => ({}), { error: { code: 'gone' } }), 0],
  ])('cost no request more than they mean: %s, among a hundred words', async (meaning, behaviour, more) => {
    behaviours = { w50: behaviour };
    await using client = open();
    const words = Array.from({ length: 100 }, (_, nth) => `w${nth}`);
    const { search } = client as unknown as { readonly search: PageFactory<object, PageLike> };
    const ended = await Promise.allSettled(words.map((q) => lastValueFrom(search({ q }))));
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(meaning === 'final' ? 1 : 0);
    expect(seen).toHaveLength(100 + more);
  });

  it('send nothing more once the key is refused', async () => {
    behaviours = { w0: refusing(9, 200, () => ({}), { error: { code: 'bad_key' } }) };
    await using client = open({ concurrency: 1 });
    for (const q of ['w0', 'w1', 'w2']) expect(await errorOf(rows$(client, q))).toMatchObject({ name: 'AuthError' });
    expect(seen).toEqual(['w0']);
  });

  it('end a pipe with an error that says until when, or that nobody knows', async () => {
    const reset = Date.now() + 86_400_000;
    behaviours = { day: refusing(9, 403, () => ({ 'x-left': '0', 'x-reset': `${reset}` })), ever: refusing(9, 402, () => ({})) };
    await using client = open({ concurrency: 1 });
    const error = (await errorOf(rows$(client, 'day'))) as Error & { readonly pausedUntil: number };
    expect(error).toMatchObject({ name: 'RateLimitError', kind: 'quota', attempts: 1 });
    expect(Math.abs(error.pausedUntil - reset)).toBeLessThan(1000);
    expect(await errorOf(rows$(client, 'sea'))).toMatchObject({ attempts: 0, kind: 'throttled' });
    await using other = open({ concurrency: 1 });
    const words = String(await errorOf(rows$(other, 'ever')));
    expect(words).toContain('HTTP 402');
    expect(words).toContain('the service does not say when there is more, so this client sends nothing more');
    expect(await errorOf(rows$(other, 'sea'))).toMatchObject({ name: 'RateLimitError', kind: 'quota', attempts: 0 });
    expect(seen).toEqual(['day', 'ever']);
  });

  const flow = {
    name: 'words',
    service: './service.mjs',
    stages: { words: { call: 'search', with: { q: ['none', 'sea', 'air'] }, pages: 'all', to: 'words.jsonl' } },
  };
  const rowsIn = async (path: string): Promise<string[]> =>
    (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly id: string }).id)
      .toSorted();

  const ways: readonly (readonly [string, boolean])[] = [
    ['on one machine', false],
    ['over BullMQ', true],
  ];
  const ends: readonly (readonly [string, () => Behaviour, string])[] = [
    [
      'until a day later',
      () => refusing(1, 403, () => ({ 'x-left': '0', 'x-reset': `${Date.now() + 86_400_000}` })),
      'asks for a pause until',
    ],
    ['until nobody knows', () => refusing(1, 402, () => ({})), 'quota is used up'],
    [
      'that a header of a good response tells',
      () => telling({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '86400' }),
      'asks for a pause until',
    ],
  ];
  describe.each(ways)('%s', (_, queued) => {
    it.skipIf(queued && !hasRedis()).each(queued ? ofTheDay(ends, 1) : ends)(
      'leave a flow open for a pause %s, and the same command resumes it',
      async (_, behaviour, said) => {
        behaviours = { none: (_, response) => (response.writeHead(404), {}), sea: behaviour() };
        const out = await mkdtemp(join(own.folder, 'out-'));
        await writeFile(join(own.folder, 'flow.json'), JSON.stringify(flow));
        const env = { TRAWLER_BASE_URL: server.url };
        const redis = queued ? await startRedis({ persistent: false }) : undefined;
        const queue = redis === undefined ? [] : ['--queue', redis.url];
        const file = join(own.folder, 'flow.json');
        /** With a worker of its own, which knows nothing of an earlier pause. */
        const run = async () => {
          const stop = new AbortController();
          const worker = redis && runInProcess(['worker', file, ...queue, '--concurrency', '1'], { env, signal: stop.signal });
          const result = await runInProcess(['run', file, '--out', out, '--concurrency', '1', ...queue], { env });
          stop.abort();
          await worker;
          return result;
        };
        try {
          const first = await run();
          expect(first.code).toBe(130);
          expect(first.stdout + first.stderr).toContain(said);
          expect((await run()).code).toBe(0);
          expect(await rowsIn(join(out, 'words.jsonl'))).toEqual([...four('sea'), ...four('air')].toSorted());
          expect(seen.length).toBeLessThanOrEqual(1 + 1 + 6 + 1); // the empty word, the refusal, six pages, one that was on its way
        } finally {
          await redis?.close();
        }
      },
      60_000,
    );
  });

  it('end `trawler call` with an error that says so', async () => {
    behaviours = { sea: refusing(9, 402, () => ({})), none: () => ({ error: 'Nothing found.' }) };
    const call = (q: string) =>
      runInProcess(['call', 'search', '--service', own.file, '--q', q, '--pages', 'all'], {
        env: { TRAWLER_BASE_URL: server.url },
      });
    const [empty, quota] = [await call('none'), await call('sea')];
    expect([empty.code, empty.stdout]).toEqual([0, '']);
    expect(quota.code).not.toBe(0);
    expect(quota.stderr).toContain('come back later');
  });
});
