import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { checkFlow, type FlowDefinition, type FlowSummary, runFlow } from '../../src/flow/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { define } from '../contract/descriptions.ts';
import { rangeWorld } from '../operators/split/rangeWorlds.ts';
import { ofTheDay } from '../ofTheDay.ts';

const small = rangeWorld('heavy tail', 4, { rows: 2000 });
let world = small;
const start = Date.UTC(2020, 0, 1);
const topics = ['red', 'green', 'blue', 'pink'];

let server: Server;
const fileSystem = new MemoryFileSystem();
let requests: URL[] = [];
/** Searches that fail, by their lower bound. */
let broken: (url: URL) => boolean = () => false;

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://x');
    requests.push(url);
    if (broken(url)) return response.writeHead(404).end('{}');
    const get = (name: string): string | null => url.searchParams.get(name);
    const page = Number(get('page') ?? 0);
    const isWanted = (id: number): boolean => get('topic') === null || topics[id % 4] === get('topic');
    const day = (name: string, or: number): number => (get(name) === null ? or : Math.round((Date.parse(get(name)!) - start) / 86_400_000));
    const found = url.pathname.endsWith('/byDay')
      ? world.search(day('after', 0) * 20, day('before', 1e6) * 20 + 19)
      : world.search(Math.round(Number(get('min') ?? 0) * 100), Math.round(Number(get('max') ?? 1e6) * 100), isWanted);
    const items = found.slice(page * 20, page * 20 + 20).map((id) => ({ id: `r${id}`, price: (world.values[id]! / 100).toFixed(2) }));
    const total = url.pathname.endsWith('/byCount')
      ? world.count!(Math.round(Number(get('min') ?? 0) * 100), Math.round(Number(get('max') ?? 1e6) * 100))
      : undefined;
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ items, total, topics: topics.map((name) => ({ name })) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  world = small;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const shared = {
  response: { items: [{ id: 'string', price: 'string' }], topics: [{ name: 'string' }], 'total?': 'number' },
  rows: 'items',
  id: 'id',
  query: { page: '${page}' },
} as const;
const optional = (type: 'string' | 'number' | 'integer') => ({ type, about: 'a bound' });
const service = define({
  name: 'shop',
  operations: {
    byPrice: {
      ...shared,
      get: '/byPrice',
      params: { topic: optional('string'), min: optional('number'), max: optional('number'), page: optional('integer') },
    },
    byCount: {
      ...shared,
      get: '/byCount',
      total: 'total',
      params: { min: optional('number'), max: optional('number'), page: optional('integer') },
    },
    byDay: {
      ...shared,
      get: '/byDay',
      query: { ...shared.query, after: '${from}', before: '${to}' },
      params: { page: optional('integer') },
    },
  },
} as never);

const prices: FlowDefinition = {
  name: 'prices',
  stages: {
    items: {
      call: 'byPrice',
      split: { by: 'range', params: ['min', 'max'], from: 0, to: 500, step: 0.01, full: 100 },
      to: 'items.jsonl',
    },
  },
};

async function run(flow: FlowDefinition, name: string, options: object = {}): Promise<FlowSummary> {
  requests = [];
  await using client = createClient({ service, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, rate: 'unlimited' });
  return (await lastValueFrom(runFlow(flow, { client, outDir: `/${name}`, fileSystem, ...options }))) as FlowSummary;
}

function ids(name: string): string[] {
  const lines = fileSystem.disk.read(`/${name}/items.jsonl`)!.toString().trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { id: string }).id).toSorted();
}
const all = small.values.map((_, id) => `r${id}`).toSorted();

describe('a stage that is split by a range', () => {
  it('has every row once, with at most 3 times the requests that somebody who knows all prices needs', async () => {
    world = rangeWorld('heavy tail', 5, { rows: 2500 });
    const summary = await run(prices, 'prices');
    expect(summary.outcome).toBe('complete');
    expect(ids('prices')).toHaveLength(2500);
    // a search of so many rows takes four or five pages of twenty
    expect(requests.length / (world.oracle * 5)).toBeLessThanOrEqual(3);
  });

  it('takes a page for a piece that is full by what the service claims', async () => {
    world = rangeWorld('sixty clusters of 170 rows', 5, { rows: 2500 });
    const stages = { items: { ...prices.stages['items']!, call: 'byCount' } };
    const summary = await run({ name: 'counted', stages }, 'counted');
    expect(summary.outcome).toBe('complete');
    expect(ids('counted')).toHaveLength(2500);
    expect(requests.length / (world.oracle * 5)).toBeLessThanOrEqual(2);
  });

  it.each(ofTheDay(['any', 'falling'] as const, 1))(
    'resumes after stops in the middle, with the same searches, where rows come in %s order',
    async (order) => {
      world = rangeWorld('heavy tail', 4, { rows: 2000, order });
      await run(prices, `whole ${order}`, { concurrency: 1 });
      const searches = requests.map(({ search }) => search).toSorted();
      const asked: string[] = [];
      let outcome = 'interrupted';
      for (let runs = 0; outcome === 'interrupted'; runs++) {
        expect(runs).toBeLessThan(100);
        ({ outcome } = await run(prices, `stopped ${order}`, { maxRequests: 37, concurrency: 1 }));
        asked.push(...requests.map(({ search }) => search));
      }
      expect(asked.toSorted()).toEqual(searches);
      expect(ids(`stopped ${order}`)).toEqual(all);
    },
  );

  it('goes on behind a piece that fails, which is retried alone', async () => {
    let failed = '';
    broken = ({ searchParams }) => {
      if (failed === '' && Number(searchParams.get('min') ?? 0) > 2) failed = searchParams.get('min')!;
      return searchParams.get('min') === failed;
    };
    const summary = await run(prices, 'failed', { concurrency: 1 });
    expect(summary.stages[0]).toMatchObject({ failed: 1 });
    expect(ids('failed').length).toBeGreaterThan(1700);
    broken = () => false;
    expect(await run(prices, 'failed', { failures: true })).toMatchObject({ outcome: 'complete' });
    expect(ids('failed')).toEqual(all);
    expect(requests.length).toBeLessThanOrEqual(12);
  });

  it('takes days for its bounds', async () => {
    const split = { from: '2020-01-01', to: '2026-12-31', full: 100 };
    const stages = { items: { call: 'byDay', split, to: 'items.jsonl' } };
    world = rangeWorld('even', 6, { rows: 2000 });
    expect((await run({ name: 'days', stages }, 'days')).outcome).toBe('complete');
    expect(ids('days')).toEqual(all);
    expect(requests.some(({ search }) => /after=20\d\d-\d\d-\d\d/.test(search))).toBe(true);
  });

  it.each<[string, FlowDefinition['stages'][string]['split'], least: number, notices: number]>([
    ['values of a list that the description of the service lacks', { by: 'chips', values: 'suggested_searches[].chips', full: 20 }, 5, 0],
  ])(
    'searches the sandbox by %s, and says of each list that nothing reads it, but of the one it splits by',
    async (_, split, least, notices) => {
      await using sandbox = await startSandbox();
      await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited' });
      const flow = { name: 'images', stages: { images: { call: 'imageSearch', with: { query: 'x' }, split, to: 'images.jsonl' } } };
      const said = await lastValueFrom(runFlow(flow, { client, outDir: `/${split!.by}`, fileSystem }).pipe(toArray()));
      expect(said.filter(({ type }) => type === 'notice')).toHaveLength(notices);
      const { failed, done } = (said.at(-1) as FlowSummary).stages[0]!;
      expect(failed).toBe(0);
      expect(done).toBeGreaterThanOrEqual(least);
    },
  );

  it('takes the values that a response lists', async () => {
    const stages = {
      items: { call: 'byPrice', with: { max: 1.5 }, split: { by: 'topic', values: 'topics[].name', full: 100 }, to: 'items.jsonl' },
    };
    await run({ name: 'topics', stages }, 'topics');
    const asked = new Set(requests.map(({ searchParams }) => searchParams.get('topic')));
    expect(asked).toEqual(new Set([null, ...topics]));
    expect(ids('topics').length).toBeGreaterThan(100);
  });

  it.each<[string, object]>([
    ["no parameter 'mim'; did you mean 'min'?", { split: { by: 'range', params: ['mim', 'max'], from: 0, to: 5, full: 9 } }],
    ['range needs params', { split: { by: 'range', from: 0, to: 5, full: 9 } }],
    ['below to', { split: { by: 'range', params: ['min', 'max'], from: 9, to: 5, full: 9 } }],
    ['two parameters', { split: { by: 'range', params: ['min'], from: 0, to: 5, full: 9 } }],
    ['a day such as', { call: 'byDay', split: { from: '1.1.2020', full: 9 } }],
    ["full: byPrice doesn't say", { split: { by: 'range', params: ['min', 'max'], from: 0, to: 5 } }],
    [
      'leave min and max out of with',
      { with: { min: 1, max: 2 }, split: { by: 'range', params: ['min', 'max'], from: 0, to: 5, full: 9 } },
    ],
  ])('is refused where it says what cannot be: %s', (message, keys) => {
    const stage = { call: 'byPrice', to: 'a.jsonl', ...keys };
    const issues = checkFlow({ name: 'x', stages: { items: stage } } as never, { service });
    expect(issues.map((issue) => issue.message).join('; ')).toContain(message);
  });
});
