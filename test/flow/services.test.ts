import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { EMPTY, lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../src/cli/runCommand.ts';
import { RunNotifier } from '../../src/cli/RunNotifier.ts';
import { createClient, defineOperation, defineService, type AnyClient, type ClientStats, type Service } from '../../src/index.ts';
import {
  checkFlow,
  loadFlow,
  planFlow,
  runFlow,
  type Flow,
  type FlowClient,
  type FlowDefinition,
  type FlowSummary,
  type RunFlowOptions,
} from '../../src/flow/index.ts';
import { type FailedAttempts, failedSince } from '../../src/errors/FailedAttempts.ts';
import { compileFlow } from '../../src/flow/definition/compileFlow.ts';
import { joinClients } from '../../src/flow/run/FlowClient.ts';
import type { RunState } from '../../src/show/api.ts';
import { FolderRun } from '../../src/show/run/FolderRun.ts';
import { openStore } from '../../src/store/index.ts';
import { failWith, fakeClient } from '../../src/testing/index.ts';
import { Kept, runInProcess } from '../cli/runInProcess.ts';
import { startServer, type TestServer } from '../client/startServer.ts';
import { freePort } from '../freePort.ts';
import { idleStats } from '../idleStats.ts';
import { withoutOwnWords } from '../search/withoutOwnWords.ts';

const client = (stats: Partial<ClientStats>): FlowClient => ({ stats: () => ({ ...idleStats, ...stats }), events$: EMPTY });

/** A service on a socket. Its wire names, its prices and its keys are its own. */
interface Server extends AsyncDisposable {
  readonly service: Service;
  readonly url: string;
  /** Good answers: what it counts. */
  readonly served: { readonly q: string; readonly page: number }[];
  readonly keys: Set<string>;
}

const pagesOf = (q: string): number => 1 + (Number(q.slice(1)) % 3);

async function serve(name: string, price: number): Promise<Server> {
  const word = `${name}Q`;
  const server: TestServer = await startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://service');
    self.keys.add(String(request.headers['x-key']));
    const q = searchParams.get(word) ?? '';
    const page = Number(searchParams.get('p') ?? 1);
    self.served.push({ q, page });
    if (q === 'forbidden') response.statusCode = 403;
    const rows = pathname === '/detail' ? [{ [`${name}Id`]: `${q}/detail` }] : [0, 1].map((n) => ({ [`${name}Id`]: `${q}/${page}/${n}` }));
    response.end(JSON.stringify({ rows, more: page < pagesOf(q) }));
  });
  const common = {
    response: { rows: [{ [`${name}Id`]: 'string' }], 'more?': 'boolean' },
    rows: 'rows',
    columns: { id: `${name}Id` },
    id: 'id',
  } as const;
  const search = defineOperation({
    ...common,
    get: '/search',
    query: { [word]: '${q}', p: '${page:1}' },
    params: { q: { type: 'string', required: true } },
    more: 'more',
  } as never);
  const detail = defineOperation({
    ...common,
    get: '/detail',
    query: { [word]: '${q}' },
    params: { q: { type: 'string', required: true } },
  } as never);
  const self: Server = {
    service: defineService({
      name,
      baseUrl: server.url,
      headers: { 'x-key': '${key}' },
      price: { default: price, failed: 0 },
      operations: { search, detail, ...(name === 'one' ? { only: detail } : {}) },
    }),
    url: server.url,
    served: [],
    keys: new Set(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return self;
}

describe('several services', () => {
  let folder: string;
  let servers: readonly Server[];
  const names = ['one', 'two', 'three'];
  const clientsOf = (some: readonly Server[]): readonly AnyClient[] =>
    some.map(({ service }) => createClient({ service, apiKey: `key-of-${service.name}`, rate: 'unlimited', ledger: false })) as never;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-services-'));
    servers = await Promise.all(names.map((name, at) => serve(name, at + 1)));
  });
  afterAll(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  const reset = (): void => {
    for (const server of servers) {
      server.served.splice(0);
      server.keys.clear();
    }
  };

  /** A flow with a stage of one, and a stage of two that asks for `q`. */
  function flowOfTwo(more: { readonly name: string; readonly store?: string }, q: string | readonly string[] = 'q1'): Flow {
    const services = Object.fromEntries(servers.map(({ service }) => [service.name, service]));
    const details = { service: 'two', call: 'detail', with: { q }, to: 'details.jsonl' };
    const stages = { places: { call: 'search', with: { q: 'q1' }, to: 'places.jsonl' }, details };
    return compileFlow({ ...more, service: 'one', stages }, { services, folder });
  }

  async function run(flow: Flow | FlowDefinition, outDir: string, options: Partial<RunFlowOptions> = {}): Promise<FlowSummary> {
    const [client, ...clients] = clientsOf(servers);
    try {
      const all = { client: client!, clients, outDir, concurrency: 4, commitMs: 0, ...options };
      return (await lastValueFrom(runFlow(flow, all))) as FlowSummary;
    } finally {
      for (const one of [client!, ...clients]) await one.close();
    }
  }
  const rowsIn = async (path: string): Promise<readonly { readonly id: string }[]> => {
    const text = (await readFile(path, 'utf8')).trim();
    return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as { readonly id: string });
  };

  /** A flow of one and two, each described in a file beside it. */
  async function flowWithFiles(): Promise<string> {
    const at = await mkdtemp(join(folder, 'files-'));
    for (const { service } of servers.slice(0, 2)) {
      const { name, baseUrl, headers, price, operations } = service;
      const plain = Object.fromEntries(Object.entries(operations).map(([each, { spec }]) => [each, withoutOwnWords(spec)]));
      await writeFile(join(at, `${name}.json`), JSON.stringify({ name, baseUrl, headers, price, operations: plain }));
    }
    const stages = {
      places: { service: './one.json', call: 'search', with: { q: 'q2' }, pages: 'all', to: 'places.jsonl' },
      details: { service: './two.json', call: 'detail', each: 'places', with: { q: '$.id' }, to: 'details.jsonl' },
    };
    const path = join(at, 'flow.json');
    await writeFile(path, JSON.stringify({ name: 'files', stages }));
    return path;
  }
  const env = { ONE_API_KEY: 'key-of-one', TWO_API_KEY: 'key-of-two' };

  it('answer a stage each, with one journal, one report, a key each, and a cost each', async () => {
    reset();
    const flow: FlowDefinition = {
      name: 'stages',
      service: 'one',
      stages: {
        places: { call: 'search', with: { q: ['q1', 'q2', 'q3'] }, pages: 'all', to: 'places.jsonl' },
        details: { service: 'two', call: 'detail', each: 'places', with: { q: '$.id' }, to: 'details.jsonl' },
      },
    };
    const outDir = join(folder, 'stages');
    const summary = await run(flow, outDir);
    expect(summary.outcome).toBe('complete');
    const places = await rowsIn(join(outDir, 'places.jsonl'));
    expect(places.map(({ id }) => id).toSorted()).toEqual(['q1', 'q2', 'q3'].flatMap((q) => Array.from({ length: pagesOf(q) }, (_, p) => [0, 1].map((n) => `${q}/${p + 1}/${n}`)).flat()).toSorted()); // prettier-ignore
    expect((await rowsIn(join(outDir, 'details.jsonl'))).length).toBe(places.length);
    const [one, two, three] = servers as [Server, Server, Server];
    expect([one.keys, two.keys, three.keys]).toEqual([new Set(['key-of-one']), new Set(['key-of-two']), new Set()]);
    expect(summary.services).toEqual([
      { name: 'one', pages: one.served.length, cost: one.served.length },
      { name: 'two', pages: two.served.length, cost: 2 * two.served.length },
    ]);
    expect(await readFile(join(outDir, 'report.html'), 'utf8')).toContain(`two gave ${two.served.length} pages`);
    const plan = await planFlow(flow, { client: clientsOf(servers)[0] as never }).catch((error: unknown) => error);
    expect(String(plan)).toContain('only loadFlow finds a service by its name');
  });

  it('refuses services that nobody knows, and operations and parameters that none of the named ones has', () => {
    const services = Object.fromEntries(servers.map(({ service }) => [service.name, service]));
    const faults = (stage: object, more: object = {}): readonly string[] =>
      checkFlow({ name: 'f', ...more, stages: { s: stage } }, { services }).map(({ path, message }) => `${path}: ${message}`);
    expect(faults({ call: 'search', with: { q: 'a' }, service: 'four' })).toEqual([expect.stringContaining('stages.s.service')]);
    expect(faults({ call: 'none', service: ['one', 'two'] })).toEqual([expect.stringContaining("no operation is called 'none'")]);
    expect(faults({ call: 'only', with: { q: 'a' }, service: ['two', 'one'] })).toEqual([]);
    expect(faults({ call: 'search', with: { q: 'a', x: 1 } }, { service: ['one', 'two'] })).toEqual([expect.stringContaining("'x'")]);
    const whose = { call: 'search', with: { q: 'a' }, to: { file: 'a.csv', columns: ['_service'] } };
    expect(faults(whose, { service: ['one', 'two'] })).toEqual([]);
    expect(faults({ ...whose, service: 'one' })).toEqual([expect.stringContaining("have no '_service'")]);
  });

  it('are each known by the key with which its pages came', async () => {
    const flow = flowOfTwo({ name: 'keys' }, ['q1', 'forbidden']);
    const outDir = join(folder, 'keys');
    for (const failures of [false, true, true])
      expect(await run(flow, outDir, { failures, concurrency: 1 })).toMatchObject({ outcome: 'failed' });
  });

  it('are all requested again by an update, whatever is stored', async () => {
    reset();
    const flow = flowOfTwo({ name: 'stored', store: 'responses' });
    const [client, ...clients] = clientsOf(servers);
    const outDir = join(folder, 'stored');
    for (const update of [false, true]) await lastValueFrom(runFlow(flow, { client: client!, clients, outDir, update }));
    expect(servers.map(({ served }) => served.length)).toEqual([2, 2, 0]);
    for (const one of [client!, ...clients]) await one.close();
  });

  it('use the store of the flow, each that has none of its own', async () => {
    reset();
    const flow = flowOfTwo({ name: 'own', store: 'of-flow' });
    const store = openStore(join(folder, 'of-one'));
    for (const outDir of ['own-1', 'own-2']) {
      const client = createClient({ service: servers[0]!.service, apiKey: 'key', rate: 'unlimited', ledger: false, store });
      const [other] = clientsOf([servers[1]!]);
      const options = { client, clients: [other!], outDir: join(folder, outDir) };
      const told = await lastValueFrom(runFlow(flow, options).pipe(toArray()));
      const notice =
        outDir === 'own-1' ? [] : [`2 pages came from ${store.folder} and ${join(folder, 'of-flow')}: asked for once, and used again`];
      expect(told.flatMap((one) => (one.type === 'notice' && one.message.includes('came from') ? [one.message] : []))).toEqual(notice);
      for (const one of [client, other!]) await one.close();
    }
    await store.close();
    expect(servers.map(({ served }) => served.length)).toEqual([1, 1, 0]);
  });

  it('let a changed flow start over only if all of them have a store', async () => {
    const store = openStore(join(folder, 'of-one-of-them'));
    const client = createClient({ service: servers[0]!.service, apiKey: 'key', rate: 'unlimited', ledger: false, store });
    const [other] = clientsOf([servers[1]!]);
    const options = { client, clients: [other!], outDir: join(folder, 'changed') };
    await lastValueFrom(runFlow(flowOfTwo({ name: 'changed' }), options));
    await expect(lastValueFrom(runFlow(flowOfTwo({ name: 'changed' }, 'q2'), options))).rejects.toThrow('another');
    for (const one of [client, other!, store]) await one.close();
  });

  it('renew an address that expires at the service that it is used at', async () => {
    const operations = {
      search: defineOperation({ get: '/search', query: { q: '${q}' }, params: { q: { type: 'string' } }, response: { url: 'string' }, rows: null }),
      answer: defineOperation({ get: '/answer', query: { url: '${url}' }, params: { url: { type: 'string' } }, response: { rows: [{ id: 'string' }] }, rows: 'rows' }),
    }; // prettier-ignore
    const fanOuts = { answers: { call: 'answer', about: 'the answer', rows: null, with: { url: '$.url' }, expires: true } } as const;
    const [one, two] = ['one', 'two'].map((name) => defineService({ name, baseUrl: `https://${name}.test`, operations, fanOuts }));
    const refusing = fakeClient(one!, () => {
      throw failWith(401);
    });
    let searches = 0;
    const answering = fakeClient(two!, ({ operation, query }) => {
      if (operation === 'search') return { url: `url-${++searches}` };
      if (query['url'] === 'url-1') throw failWith(410);
      return { rows: [{ id: String(query['url']) }] };
    });
    const stages = { found: { call: 'search', with: { q: 'a' } }, answers: { call: 'answers', each: 'found', to: 'answers.jsonl' } };
    const flow = compileFlow({ name: 'renewed', service: ['one', 'two'], stages }, { services: { one: one!, two: two! } });
    const outDir = join(folder, 'renewed');
    const summary = await lastValueFrom(runFlow(flow, { client: refusing.client, clients: [answering.client], outDir }));
    expect(summary).toMatchObject({ outcome: 'complete' });
    expect(await rowsIn(join(outDir, 'answers.jsonl'))).toEqual([{ id: 'url-2', _service: 'two' }]);
    expect([refusing.requests.length, answering.requests.map(({ operation }) => operation)]).toEqual([
      1,
      ['search', 'answer', 'search', 'answer'],
    ]);
  });

  it('are planned with the one that needs most requests', async () => {
    const params = { q: { type: 'string', required: true } } as const;
    const common = { get: '/search', params, response: { rows: [{ id: 'string' }], 'more?': 'boolean' }, rows: 'rows' } as const;
    const onePage = defineOperation({ ...common, query: { q: '${q}' } } as never);
    const paged = defineOperation({ ...common, query: { q: '${q}', p: '${page:1}' }, more: 'more' } as never);
    const services = {
      short: defineService({ name: 'short', baseUrl: 'https://short.test', operations: { search: onePage } }),
      long: defineService({ name: 'long', baseUrl: 'https://long.test', operations: { search: paged } }),
    };
    const stages = { rows: { call: 'search', with: { q: ['a', 'b'] }, pages: 3, to: 'rows.jsonl' } };
    const flow = compileFlow({ name: 'planned', service: ['short', 'long'], stages }, { services });
    expect(await planFlow(flow)).toMatchObject({ requests: { atLeast: 2, atMost: 6 }, quote: { most: 6 } });
  });

  it('are shown by the page of runs, also where a query went to another one', async () => {
    const [one, two] = servers.map(({ service }) => service) as [Service, Service];
    const refusing = fakeClient(one, () => {
      throw failWith(401);
    });
    const answering = fakeClient(two, () => ({ rows: [{ twoId: 'a' }] }));
    const stages = { places: { call: 'search', with: { q: ['q1', 'q2'] }, to: 'places.jsonl' } };
    const outDir = join(folder, 'handed');
    await lastValueFrom(
      runFlow({ name: 'handed', service: ['one', 'two'], stages }, { client: refusing.client, clients: [answering.client], outDir }),
    );
    const shown = await new FolderRun('', outDir, { service: one, command: () => '', allowRead: [] }).state();
    expect(shown).toMatchObject({ phase: 'done', notes: [], stages: [{ done: 2, rows: 2 }] });
  });

  it('are named in a file beside the flow and in its stages, with a variable each', async () => {
    reset();
    const path = await flowWithFiles();
    expect((await loadFlow(path)).services.map(({ name }) => name)).toEqual(['one', 'two']);
    const out = join(dirname(path), 'out');
    const lacking = await runInProcess(['run', path, '--out', out, '--quiet'], { env: { ONE_API_KEY: 'key-of-one' } });
    expect([lacking.code, lacking.stderr]).toEqual([2, expect.stringContaining('TWO_API_KEY is not set')]);
    const ran = await runInProcess(['run', path, '--out', out], { env });
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringMatching(/one gave 3\s+pages\s+for\s+3\S*\s+two\s+gave\s+6\s+pages\s+for\s+12/),
    ]);
    expect([...servers[0]!.keys, ...servers[1]!.keys]).toEqual(['key-of-one', 'key-of-two']);
    const planned = await runInProcess(['plan', path]);
    expect(planned.stdout).toMatch(/one: .*\n.*two: /);
  });

  it('are all counted by the page and by metrics, and watched for messages', async () => {
    const watched = vi.spyOn(RunNotifier.prototype, 'watch');
    const path = await flowWithFiles();
    const address = `127.0.0.1:${await freePort()}`;
    const stop = new AbortController();
    const stderr = new Kept();
    const argv = ['run', path, '--out', join(dirname(path), 'out'), '--show', '--metrics', address];
    const ended = runCommand(argv, { stdin: Readable.from([]), stdout: new Kept(), stderr, env, signal: stop.signal });
    await vi.waitFor(() => expect(stderr.text).toContain('files: done'), 10_000);
    const [url] = /http:\S+token=\S+/.exec(stderr.text)!;
    const state = (await (await fetch(url.replace('/?', '/api/state?'))).json()) as RunState;
    const metrics = await (await fetch(`http://${address}/metrics`)).text();
    stop.abort('SIGINT');
    expect(await ended).toBe(0);
    expect(state.live!.stats).toMatchObject({ requests: 9, responses: 9, inFlight: 0 });
    expect(state.live!.meanMs).toBeGreaterThan(0);
    expect(metrics).toContain('trawler_requests_total{service="one",operation="search",outcome="ok"} 3\n');
    expect(metrics).toContain('trawler_requests_total{service="two",operation="detail",outcome="ok"} 6\n');
    expect(metrics).toMatch(/^trawler_requests_in_flight\{service="one"\} 0\ntrawler_requests_in_flight\{service="two"\} 0$/m);
    expect(watched.mock.calls.map(([, name]) => name)).toEqual(['one', 'two']);
    expect(new Set(watched.mock.calls.map(([client]) => client)).size).toBe(2);
  });

  it('that gave pages are no bad input, when another one is not there', async () => {
    const path = await flowWithFiles();
    await using gone = await startServer((_, response) => void setTimeout(() => response.writeHead(404).end(), 300));
    const one = join(dirname(path), 'one.json');
    await writeFile(one, JSON.stringify({ ...(JSON.parse(await readFile(one, 'utf8')) as object), baseUrl: gone.url }));
    const stages = {
      details: { service: './two.json', call: 'detail', with: { q: 'q1' }, to: 'details.jsonl' },
      places: { service: './one.json', call: 'search', with: { q: 'q2' }, onError: 'fail', to: 'places.jsonl' },
    };
    await writeFile(path, JSON.stringify({ name: 'gone', service: ['./one.json', './two.json'], stages }));
    const { code, stderr } = await runInProcess(['run', path, '--out', join(dirname(path), 'out'), '--quiet'], { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('404')]);
  });

  it('that ask for a pause or know their limits are one client to whoever looks at a run', () => {
    const [one, two] = [
      { rate: 2, budgetLeft: 5, pausedMs: 9000, pausedUntil: 9 },
      { rate: 3, budgetLeft: 6, pausedMs: 4000, pausedUntil: 4 },
    ];
    const both = joinClients([client(one), client(two)]);
    expect(both.stats()).toMatchObject({ rate: 5, budgetLeft: 11, pausedMs: 4000, pausedUntil: 4 });
    expect(joinClients([client({}), client(two)]).stats()).toMatchObject({
      rate: 3,
      budgetLeft: Infinity,
      pausedMs: 0,
      pausedUntil: undefined,
    });
  });

  it('count failures for one reason once, so that those of a run before can be taken off', () => {
    const failed = (because: string, count: number) => ({ because, count, lostMs: count });
    const stats = (...all: readonly (readonly FailedAttempts[])[]): readonly FailedAttempts[] =>
      joinClients(all.map((failedAttempts) => client({ failedAttempts }))).stats().failedAttempts;
    const before = stats([failed('HTTP 503', 1)], [failed('a timeout', 2), failed('HTTP 503', 3)]);
    expect(before).toEqual([failed('HTTP 503', 4), failed('a timeout', 2)]);
    expect(failedSince(stats([failed('HTTP 503', 1)], [failed('HTTP 503', 5)]), before)).toEqual([failed('HTTP 503', 2)]);
  });
});
