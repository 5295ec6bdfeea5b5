import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { from, lastValueFrom, mergeMap, range, toArray, type Observable } from 'rxjs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { PageFactory, PageLike } from '../operators/index.ts';
import { defineOperation, defineService, loadService, type FailureSpec, type LimitSpec, type Service } from '../src/contract/index.ts';
import { createClient } from '../src/createClient.ts';
import { runFlow, type FlowDefinition } from '../src/flow/index.ts';
import type { FlowClient } from '../src/flow/run/FlowClient.ts';
import { MemoryFileSystem } from './disk/MemoryFileSystem.ts';
import { hasRedis, startRedis } from './bullmq/startRedis.ts';
import { ofTheDay } from './ofTheDay.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { startServer } from './client/startServer.ts';
import { errorOf, outcome } from './client/testClient.ts';
import { Random } from './simulation/Random.ts';
import { simulatedDispatcher, type Reply } from './simulation/simulatedDispatcher.ts';
import { Simulation } from './simulation/Simulation.ts';

interface Count {
  /** The time of its clock, in milliseconds since 1970. */
  readonly now: number;
  readonly requests: number;
  readonly perMs: number;
  left: number;
  readonly resetMs: number;
}

interface Measured {
  readonly pages: number;
  readonly sent: number;
  readonly refused: number;
}

/** A client of operations that the compiler doesn't know. */
type Operations = { readonly [call: string]: PageFactory<object, PageLike> };

interface Case {
  /** What the service counts: so many in windows that begin on the clock. */
  readonly window?: { readonly requests: number; readonly perMs: number };
  /** The headers of each response. */
  readonly tells?: (count: Count) => { readonly [header: string]: string };
  /** What each body has, too. */
  readonly says?: (count: Count) => object;
  /** The response to a request that is refused. @default 429 with nothing */
  readonly refuses?: (count: Count) => { readonly status: number; readonly headers?: object; readonly body?: object };
  readonly describes?: {
    readonly failures?: readonly FailureSpec[];
    readonly limits?: { readonly [group: string]: LimitSpec };
  };
  /** @default 150 */
  readonly requests?: number;
  /** It is also measured over BullMQ. */
  readonly queued?: true;
}

const usual = { requests: 20, perMs: 1000 };
const seconds = (ms: number): string => String(Math.ceil(ms / 1000));
const epoch = ({ now, resetMs }: Count): string => String(Math.ceil((now + resetMs) / 1000));

/** What real services count and say, in windows of a second. */
const cases: { readonly [name: string]: Case } = {
  'GitHub: a 403 and an epoch': {
    queued: true,
    tells: (count) => ({ 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': `${count.left}`, 'x-ratelimit-reset': epoch(count) }),
    refuses: () => ({ status: 403 }),
  },
  'Reddit: what is left with a fraction, and seconds': {
    tells: ({ left, resetMs }) => ({ 'x-ratelimit-remaining': `${left}.0`, 'x-ratelimit-reset': seconds(resetMs) }),
  },
  'Discord: parts of seconds': {
    tells: (count) => ({
      'x-ratelimit-remaining': `${count.left}`,
      'x-ratelimit-reset': `${(count.now + count.resetMs) / 1000}`,
      'x-ratelimit-reset-after': (count.resetMs / 1000).toFixed(3),
    }),
    refuses: ({ resetMs }) => ({ status: 429, headers: { 'retry-after': (resetMs / 1000).toFixed(3) } }),
  },
  'X: one more hyphen': {
    tells: (count) => ({ 'x-rate-limit-limit': '20', 'x-rate-limit-remaining': `${count.left}`, 'x-rate-limit-reset': epoch(count) }),
  },
  'the draft of the IETF': {
    tells: ({ left, resetMs }) => ({ ratelimit: `"default";r=${left};t=${seconds(resetMs)}`, 'ratelimit-policy': '"default";q=20;w=1' }),
  },
  'its older draft, in three headers': {
    tells: ({ left, resetMs }) => ({ 'ratelimit-limit': '20', 'ratelimit-remaining': `${left}`, 'ratelimit-reset': seconds(resetMs) }),
  },
  'what is left, and not until when': {
    queued: true,
    window: { requests: 40, perMs: 1000 },
    requests: 300, // a few are refused at first, when workers of a busy machine tell late what they were told
    tells: ({ left }) => ({ 'x-ratelimit-remaining': `${left}` }),
    refuses: ({ resetMs }) => ({ status: 429, headers: { 'retry-after': seconds(resetMs) } }),
  },
  'a date of ISO 8601': {
    tells: ({ now, left, resetMs }) => ({
      'x-ratelimit-remaining': `${left}`,
      'x-ratelimit-reset': new Date(now + resetMs).toISOString(),
    }),
  },
  'Crossref: an interval': {
    queued: true,
    window: { requests: 50, perMs: 1000 },
    tells: () => ({ 'x-rate-limit-limit': '50', 'x-rate-limit-interval': '1s' }),
    requests: 300, // as above
  },
  'headers of a name of its own': {
    tells: (count) => ({ 'x-left-now': `${count.left}`, 'x-again-at': epoch(count) }),
    describes: { limits: { default: { remaining: 'X-Left-Now', reset: 'X-Again-At' } } },
  },
  'GitHub GraphQL: what is left, and a date': {
    says: (count) => ({ rateLimit: { remaining: count.left, resetAt: new Date(count.now + count.resetMs).toISOString() } }),
    refuses: () => ({ status: 403, body: { message: 'API rate limit exceeded' } }),
    describes: {
      failures: [{ status: 403, means: 'throttled' }],
      limits: { default: { at: 'rateLimit', remaining: 'remaining', reset: 'resetAt' } },
    },
  },
  'a known limit, of which nothing is told': { describes: { limits: { default: usual } } },
  'a known limit of a group': { queued: true, describes: { limits: { lists: usual } } },
  'a rule for HTTP 200 that says until when': {
    window: { requests: 400, perMs: 5000 },
    refuses: ({ resetMs }) => ({ status: 200, body: { error: { code: 'ratelimited', wait: resetMs / 1000 } } }),
    describes: {
      failures: [{ status: 200, at: 'error.code', is: 'ratelimited', means: 'quota', until: 'error.wait' }],
    },
    requests: 600,
  },
  'GitHub: a rule that reads two headers of the refusal': {
    window: { requests: 400, perMs: 5000 },
    requests: 600,
    refuses: (count) => ({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epoch(count) } }),
    describes: {
      failures: [
        {
          status: 403,
          at: 'header:x-ratelimit-remaining',
          is: '0',
          means: 'throttled',
          until: 'header:x-ratelimit-reset',
        },
      ],
    },
  },
  'GitHub: a 403 with Retry-After, and no rule': {
    window: { requests: 400, perMs: 5000 },
    requests: 600,
    refuses: ({ resetMs }) => ({ status: 403, headers: { 'retry-after': seconds(resetMs) } }),
  },
  'MediaWiki: one of two codes in HTTP 200, and Retry-After': {
    window: { requests: 400, perMs: 5000 },
    requests: 600,
    refuses: ({ resetMs }) => ({ status: 200, headers: { 'retry-after': seconds(resetMs) }, body: { error: { code: 'ratelimited' } } }),
    describes: { failures: [{ status: 200, at: 'error.code', is: ['maxlag', 'ratelimited'], means: 'throttled' }] },
  },
  'a date of HTTP in a rule': {
    window: { requests: 400, perMs: 5000 },
    requests: 600,
    refuses: ({ now, resetMs }) => ({
      status: 420,
      headers: { 'x-again': new Date(Math.ceil((now + resetMs) / 1000) * 1000).toUTCString() },
    }),
    describes: { failures: [{ status: 420, means: 'throttled', until: 'header:X-Again' }] },
  },
  'a quota that ends at a time': {
    queued: true,
    window: { requests: 400, perMs: 5000 },
    refuses: (count) => ({ status: 403, headers: { 'x-quota-reset': `${count.now + count.resetMs}` } }),
    describes: { failures: [{ status: 403, means: 'quota', until: 'header:x-quota-reset' }] },
    requests: 600,
  },
};

const moduleOf = (dist: string, { describes }: Case): string => `
import { defineOperation, defineService } from '${dist}/bundle/index.js';
const more = ${JSON.stringify({ group: describes?.limits?.['lists'] && 'lists' })};
const operation = (path) => defineOperation({ get: path, params: { q: { type: 'integer' } }, response: { rows: [{ id: 'integer' }] }, rows: 'rows', ...more });
export default defineService({ name: 'limited', ...${JSON.stringify(describes ?? {})}, operations: { one: operation('/one'), two: operation('/two') } });
`;

/** What a service makes of each request, and what it counts. */
function countOf({ window = usual, tells = () => ({}), says = () => ({}), refuses = () => ({ status: 429 }) }: Case) {
  const seen = { pages: 0, sent: 0, refused: 0 };
  let begun = 0;
  let left = window.requests;
  const answer = (now: number) => {
    const start = now - (now % window.perMs);
    if (start !== begun) left = window.requests;
    begun = start;
    const good = left > 0;
    seen.sent++;
    if (good) left--;
    seen[good ? 'pages' : 'refused']++;
    const count = { ...window, now, left, resetMs: start + window.perMs - now };
    const { status, headers, body = {} } = good ? { status: 200, headers: {}, body: { rows: [{ id: 1 }] } } : refuses(count);
    const said: { readonly [header: string]: string } = { ...tells(count), ...headers };
    return { status, headers: said, body: JSON.stringify({ ...body, ...says(count) }) };
  };
  return { seen, answer };
}

/** How long requests and responses are on their way: they overtake each other. */
const wayMs = { request: 5, response: 20 };

/** It listens on a socket. */
async function limited(of: Case) {
  const { seen, answer } = countOf(of);
  const server = await startServer((_, response) => {
    setTimeout(() => {
      const { status, headers, body } = answer(Date.now());
      setTimeout(() => response.writeHead(status, headers).end(body), wayMs.response * Math.random());
    }, wayMs.request * Math.random());
  });
  return { server, seen };
}

/** A client of a service in memory, whose time passes as soon as there is something to wait for. */
async function inMemory(
  service: Service,
  answer: (now: number, path: string) => Reply,
  run: (client: Operations & FlowClient, simulation: Simulation) => Promise<unknown>,
): Promise<void> {
  const simulation = new Simulation(false);
  const random = new Random(1).next;
  const visitor = { name: 'client', isAlive: true, inFlight: 0, requests: 0 };
  const dispatcher = simulatedDispatcher(visitor, ({ path }, respond) => {
    let cancel = simulation.after(wayMs.request * random(), () => {
      const reply = answer(simulation.wall, path);
      cancel = simulation.after(wayMs.response * random(), () => respond(reply));
    });
    return () => cancel();
  });
  const clock = {
    now: () => simulation.now,
    wall: () => simulation.wall,
    after: (ms: number, act: () => void, idle?: 'idle') => simulation.after(Math.ceil(ms), act, idle !== 'idle'),
    random,
  };
  await using client = createClient({ service, baseUrl: 'https://limited.invalid', dispatcher, clock });
  let isOver = false;
  const running = run(client as unknown as Operations & FlowClient, simulation).finally(() => (isOver = true));
  // What is idle waits for a disk, or has ended.
  while ((await simulation.run(() => isOver, Infinity)) !== 'over') await new Promise((resolve) => setImmediate(resolve));
  await running;
}

const mostRefused = 0.03;
const shareRefused = ({ sent, refused }: Pick<Measured, 'sent' | 'refused'>): number => refused / sent;

describe('of the requests that are sent, a service refuses at most 3 %', () => {
  let folder: string;
  let modules: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-limits-'));
    modules = join(inject('dist'), 'service-limits');
    await mkdir(modules, { recursive: true });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(modules, { recursive: true, force: true });
  });

  const file = async (name: string, content: string): Promise<string> => {
    const path = join(modules, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, content);
    return path;
  };
  const nameOf = (name: string): string => name.replaceAll(/\W+/g, '-');
  const calls = ['one', 'two'] as const;

  const queriesOf = (each: number) => Array.from({ length: each }, (_, q) => q);
  const serviceOf = async (name: string): Promise<Service> =>
    loadService(await file(`${nameOf(name)}/limited.mjs`, moduleOf(inject('dist'), cases[name]!)));
  const ways: { readonly [way: string]: (name: string, each: number) => Promise<Measured> } = {
    'in a pipe': async (name, each) => {
      const { seen, answer } = countOf(cases[name]!);
      await inMemory(await serviceOf(name), answer, async (client) => {
        const queries = calls.flatMap((call) => queriesOf(each).map((q) => ({ call, q })));
        await lastValueFrom(from(queries).pipe(mergeMap(({ call, q }) => client[call]!({ q }), 32)));
      });
      return seen;
    },
    'in a flow': async (name, each) => {
      const { seen, answer } = countOf(cases[name]!);
      const service = await serviceOf(name);
      const stages = Object.fromEntries(calls.map((call) => [call, { call, with: { q: queriesOf(each) }, to: `${call}.jsonl` }]));
      const flow = { name: 'limited', service, stages } as FlowDefinition;
      await inMemory(service, answer, async (client) => {
        const summary = await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem: new MemoryFileSystem() }));
        expect(summary).toMatchObject({ outcome: 'complete' });
      });
      return seen;
    },
    'over BullMQ, with two workers': async (name, each) => {
      const redis = await startRedis({ persistent: false });
      const stop = new AbortController();
      const { server, seen } = await limited(cases[name]!);
      await using _server = server;
      const env = { TRAWLER_BASE_URL: server.url };
      const flow = await flowFile(name, each);
      const work = ['worker', flow, '--queue', redis.url, '--concurrency', '4'];
      const workers = [0, 1].map(() => runInProcess(work, { env, signal: stop.signal }));
      try {
        const { code, stderr } = await runInProcess(
          ['run', flow, '--out', await mkdtemp(join(folder, nameOf(name))), '--queue', redis.url],
          { env },
        );
        expect(code, stderr).toBe(0);
        return seen;
      } finally {
        stop.abort();
        await Promise.all(workers);
        await redis.close();
      }
    },
  };
  const flowFile = async (name: string, each: number): Promise<string> => {
    const inside = `${nameOf(name)}-queued`;
    await file(`${inside}/limited.mjs`, moduleOf(inject('dist'), cases[name]!));
    const stages = calls.map((call) => [call, { call, with: { q: queriesOf(each) }, to: `${call}.jsonl` }]);
    return file(`${inside}/flow.json`, JSON.stringify({ name: inside, service: './limited.mjs', stages: Object.fromEntries(stages) }));
  };

  describe.each(Object.keys(ways))('%s', (way) => {
    const isQueue = way.includes('BullMQ');
    const some = Object.keys(cases).filter((name) => !isQueue || cases[name]!.queued);
    // Over a queue they wait in real time. Some are in a pipe today and others in a flow.
    const names = ofTheDay(some, isQueue ? 1 : 3, Number(way === 'in a flow'));
    const measured = new Map<string, Measured>();
    beforeAll(async () => {
      // All of them at once: most of the time they wait.
      if (!isQueue || hasRedis()) {
        const measure = (name: string) => ways[way]!(name, (cases[name]!.requests ?? 150) / 2);
        await Promise.all(names.map(async (name) => measured.set(name, await measure(name))));
        // In real time a busy machine bunches requests up, so what came out worse is measured once more, alone.
        const bunched = names.filter((name) => isQueue && shareRefused(measured.get(name)!) > mostRefused);
        for (const name of bunched) measured.set(name, await measure(name));
      }
      if (process.env['LIMITS'] !== undefined) console.table(Object.fromEntries(measured));
    }, 300_000);
    it.skipIf(isQueue && !hasRedis()).each(names)('%s', (name) => {
      const { pages, sent, refused } = measured.get(name)!;
      const { requests = 150 } = cases[name]!;
      expect([pages, sent - refused]).toEqual([requests, requests]);
      expect(shareRefused({ sent, refused })).toBeLessThanOrEqual(mostRefused);
    });
  });
});

describe('a group of operations', () => {
  const operation = (path: `/${string}`, group?: string) =>
    defineOperation({
      get: path,
      ...(group === undefined ? {} : { group }),
      params: { q: { type: 'integer' } },
      response: { rows: [{ id: 'integer' }] },
      rows: 'rows',
    });
  const service = defineService({
    name: 'grouped',
    limits: { lists: 'learnt' },
    operations: { all: operation('/lists/all', 'lists'), some: operation('/lists/some', 'lists'), one: operation('/one') },
  });

  it('has a pause of its own: operations beside it go on', async () => {
    const seen = { lists: 0, one: 0 };
    const server = await startServer((request, response) => {
      const isList = request.url!.startsWith('/lists');
      seen[isList ? 'lists' : 'one']++;
      if (isList) response.writeHead(429, { 'retry-after': '86400' });
      response.end(JSON.stringify({ rows: [{ id: 1 }] }));
    });
    await using _server = server;
    await using client = createClient({ service, baseUrl: server.url });
    expect(await errorOf(client.all({ q: 1 }))).toMatchObject({ name: 'RateLimitError', attempts: 1 });
    expect(await errorOf(client.some({ q: 1 }))).toMatchObject({ name: 'RateLimitError', attempts: 0 });
    for (const q of [1, 2, 3]) expect((await outcome(client.one({ q }))).values).toHaveLength(1);
    expect(seen).toEqual({ lists: 1, one: 3 });
    expect(client.stats()).toMatchObject({ pausedMs: 0, requests: 4 });
  });

  it('learns its own limit where the service refuses only its requests', async () => {
    let [taken, from] = [0, 0];
    const answer = (now: number, path: string): Reply => {
      if (now - from > 500) [taken, from] = [0, now];
      return { status: path.startsWith('/lists') && ++taken > 10 ? 429 : 200, body: '{"rows":[{"id":1}]}' };
    };
    await inMemory(service, answer, async (client, simulation) => {
      const tookMs = async (count: number, request: (q: number) => Observable<PageLike>): Promise<number> => {
        const begun = simulation.now;
        expect(await lastValueFrom(range(count).pipe(mergeMap(request, 16), toArray()))).toHaveLength(count);
        return simulation.now - begun;
      };
      const [lists, one] = await Promise.all([
        tookMs(60, (q) => client[q % 2 === 0 ? 'all' : 'some']!({ q })),
        tookMs(300, (q) => client['one']!({ q })),
      ]);
      expect(lists).toBeGreaterThan(2000);
      expect(one).toBeLessThan(10_000); // at the pace of the lists they would take 15 s
      expect(client.stats().rate).toBeUndefined(); // that of all others
    });
  });

  it('is one that the service has', () => {
    const operations = { ...service.operations, more: operation('/more', 'list') };
    expect(() => defineService({ ...service, operations })).toThrow(
      "operations.more.group names 'list', which is not one of limits; did you mean lists?",
    );
    expect(() => defineService({ ...service, limits: undefined, operations })).not.toThrow();
  });

  it('is one that an operation has', () => {
    expect(() => defineService({ ...service, limits: { list: 'learnt' } })).toThrow(
      "limits names 'list', which is not one of default and the groups of its operations; did you mean lists?",
    );
  });
});
