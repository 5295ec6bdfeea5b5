import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { columnsOf, createClient, defineOperation, defineService, type RowOf } from '../../src/index.ts';
import { leftIn } from '../../src/contract/index.ts';
import { openLedger } from '../../src/ledger/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { bodyOf, startServer, type TestServer } from '../client/startServer.ts';
import { errorOf } from '../client/testClient.ts';

const common = { rows: 'items' } as const;
const rows = {
  ...common,
  get: '/rows',
  params: {},
  columns: { id: 'key', 'at.lat': 'latitude', city: 'home.town', 'home.zip': 'zip', source: 'source.name' },
  id: 'id',
  response: {
    items: [
      {
        key: 'string',
        'latitude?': 'number',
        home: { town: 'string', street: 'string' },
        zip: 'string',
        source: { name: 'string', icon: 'string' },
      },
    ],
  },
} as const;

/** What vendors need of the language of descriptions. */
const service = defineService({
  name: 'vendor',
  headers: { 'x-key': '${key}' },
  account: { call: 'account', left: 'all', used: 'used' },
  failures: [
    { at: 'error', is: '*any results for this query.', means: 'empty' },
    { at: 'error', is: 'bad', means: 'final' },
  ],
  envelope: { error: 'error' },
  price: { default: 2, failed: 0, at: 'cost' },
  operations: {
    valued: defineOperation({
      ...common,
      get: '/valued/${country}',
      query: { loc: '${country}', sort: '${order}', days: '${days}', at: '${ll}' },
      params: {
        country: { type: 'string', required: true, values: { us: 2840, de: 2276 } },
        order: { type: 'string', oneOf: ['newestFirst', 'oldestFirst'], values: { newestFirst: 'newest' } },
        days: { type: 'strings', values: { mon: 1 } },
        ll: { type: 'string', values: { '@0,0': 'nowhere', '@*': '*' } },
      },
      response: { 'items?': [{ id: 'string' }] },
    }),
    posted: defineOperation({
      ...common,
      post: '/posted',
      body: { plain: '${flag}' },
      params: { flag: { type: 'string', values: { 0: false, 1: true } } },
      response: { 'items?': [{ id: 'string' }] },
    }),
    rows: defineOperation(rows),
    picked: defineOperation({
      get: '/picked',
      params: {},
      response: { result: { items: [{ type: 'string', n: 'integer' }] } },
      rows: 'result.items[type=organic]',
    }),
    later: defineOperation({
      ...common,
      post: '/tasks',
      params: {},
      response: { 'items?': [{ id: 'string' }], status: 'string' },
      job: { at: 'task.id', get: '/tasks/get/${id}', until: { at: 'status', is: ['done'] }, everyMs: 5 },
    }),
    account: defineOperation({
      get: '/account',
      params: {},
      response: { all: 'integer', used: 'integer' },
      rows: null,
    }),
  },
});

describe('what vendors need of a description', () => {
  let server: TestServer;
  let seen: { readonly path: string; readonly body: string }[] = [];
  let reply: (path: string) => object = () => ({ items: [] });
  let folder: string;
  const client = () => createClient({ service, baseUrl: server.url, apiKey: 'k', ledger: false });
  const pageOf = async (call: (from: ReturnType<typeof client>) => ReturnType<ReturnType<typeof client>['rows']>) => {
    const from = client();
    try {
      return (await lastValueFrom(call(from).pipe(toArray())))[0]!;
    } finally {
      await from.close();
    }
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-words-'));
    server = await startServer((request, response) => {
      void bodyOf(request).then((body) => {
        seen.push({ path: request.url!, body });
        response.end(JSON.stringify(reply(request.url!)));
      });
    });
  });
  beforeEach(() => {
    seen = [];
    reply = () => ({ items: [] });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it('replaces values wherever they are sent, each of a list, and leaves others and the query as they are', async () => {
    const query = { country: 'us', order: 'newestFirst', days: ['mon', 'tue'] } as const;
    const page = await pageOf((from) => from.valued(query) as never);
    expect(seen[0]!.path).toBe('/valued/2840?loc=2840&sort=newest&days=1&days=tue');
    expect(page.query).toEqual(query);
    await pageOf((from) => from.valued({ country: 'fr', order: 'oldestFirst' }) as never);
    expect(seen[1]!.path).toBe('/valued/fr?loc=fr&sort=oldestFirst');
    for (const ll of ['@1,2', '1,2', '@', '@0,0']) await pageOf((from) => from.valued({ country: 'fr', ll }) as never);
    expect(seen.splice(2).map(({ path }) => path.split('at=')[1])).toEqual(['1%2C2', '1%2C2', '', 'nowhere']);
    await pageOf((from) => from.posted({ flag: '0' }) as never);
    expect(seen[2]!.body).toBe('{"plain":false}');
    const wrong = await errorOf(client().valued({ country: 'us', order: 'newest' as never }));
    expect(String(wrong)).toContain('newestFirst');
  });

  it('is understood by the sandbox, in both directions', async () => {
    const sandbox = await startSandbox({ service, rows: 3 });
    const from = createClient({ service, baseUrl: sandbox.url, apiKey: sandbox.apiKey, validate: 'strict', ledger: false });
    const [page] = await lastValueFrom(from.rows({}).pipe(toArray()));
    expect(page!.items).toHaveLength(3);
    expect(new Set(page!.items.map(({ id }) => id)).size).toBe(3);
    const [picked] = await lastValueFrom(from.picked({}).pipe(toArray()));
    expect(picked!.items.map(({ type }) => type)).toEqual(['organic', 'organic', 'organic']);
    await lastValueFrom(from.valued({ country: 'us', order: 'newestFirst' }));
    await from.close();
    await sandbox.close();
  });

  it('names columns: at the top, in objects and out of them; what is missing stays missing', async () => {
    reply = () => ({
      items: [
        { key: 'a', latitude: 1, home: { town: 'B', street: 'S' }, zip: '1', source: { name: 'N', icon: 'i' } },
        { key: 'b', home: { town: 'C', street: 'T' }, zip: '2', source: { name: 'M', icon: 'j' }, more: true },
      ],
    });
    const { items, data } = await pageOf((from) => from.rows({}));
    expect(items).toEqual([
      { id: 'a', at: { lat: 1 }, city: 'B', home: { street: 'S', zip: '1' }, source: 'N' },
      { id: 'b', city: 'C', home: { street: 'T', zip: '2' }, source: 'M', more: true },
    ]);
    expect((data as { readonly items: readonly object[] }).items[0]).toHaveProperty('key');
    expect(columnsOf(service.operations.rows).map(({ path }) => path).toSorted()).toEqual(['at.lat', 'city', 'home.street', 'home.zip', 'id', 'source']); // prettier-ignore
    expectTypeOf<RowOf<typeof rows & { readonly name: string }>['id']>().toEqualTypeOf<string>();
  });

  it.each([
    [{ ...rows, columns: { id: 'kee' } }, "columns.id is 'kee', but a row has no kee; did you mean key?"],
    [{ ...rows, id: 'key' }, "id is 'key', but a row has no key"],
    [{ ...rows, rows: 'items[kind=a]' }, 'has no items[].kind'],
    [{ ...rows, job: { get: '/tasks' } }, 'job.get is made from an id'],
    [{ ...rows, job: { at: 'key', get: '/tasks/${id}/${key}' } }, 'job.get is made from an id'],
  ])('refuses what can not be right: %#', (spec, why) => {
    expect(() => defineOperation(spec as never)).toThrow(why);
  });

  it('takes only the rows that have a value', async () => {
    reply = () => ({ result: { items: [{ type: 'organic', n: 1 }, { type: 'paid', n: 2 }, { type: 'organic', n: 3 }] } }); // prettier-ignore
    expect((await pageOf((from) => from.picked({}) as never)).items).toEqual([{ type: 'organic', n: 1 }, { type: 'organic', n: 3 }]); // prettier-ignore
    reply = () => ({ result: { items: [{ type: 'paid', n: 2 }] } });
    expect((await pageOf((from) => from.picked({}) as never)).items).toEqual([]);
  });

  it('tells no results from failures by how a text ends', async () => {
    reply = () => ({ error: "Maps hasn't returned any results for this query." });
    expect((await pageOf((from) => from.rows({}))).items).toEqual([]);
    reply = () => ({ error: 'any results for this query. Not now.' });
    expect(String(await errorOf(client().rows({})))).toContain('Not now');
  });

  it('asks for a task at an address made from its id', async () => {
    let asked = 0;
    reply = (path) => {
      if (path === '/tasks') return { task: { id: 'a b/c' }, status: 'queued' };
      return ++asked < 3 ? { task: { id: 'other' }, status: 'queued' } : { status: 'done', items: [{ id: 'x' }] };
    };
    expect((await pageOf((from) => from.later({}) as never)).items).toEqual([{ id: 'x' }]);
    expect(seen.map(({ path }) => path)).toEqual(['/tasks', ...Array.from({ length: 3 }, () => '/tasks/get/a%20b%2Fc')]);
  });

  it('books the price that a body tells, else the known one', async () => {
    const at = join(folder, 'ledger');
    const from = createClient({ service, baseUrl: server.url, apiKey: 'k', ledger: at });
    for (const cost of [5, undefined, 0.25]) {
      reply = () => ({ items: [], cost });
      await lastValueFrom(from.rows({}));
    }
    await from.close();
    const ledger = await openLedger(at);
    const [balance] = [...(await ledger.balances()).values()];
    await ledger.close();
    expect(JSON.stringify(balance, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).toContain('"7250000000"');
  });

  it('says what is left of all that there is', () => {
    expect(leftIn(service.account!, { all: 10, used: 4 })).toBe(6);
    expect(leftIn({ call: 'account', left: 'a.b' }, { a: { b: '12' } })).toBe(12);
    expect(leftIn({ call: 'account', left: 'a.b' }, { a: {} })).toBeUndefined();
    expect(leftIn({ call: 'account' }, { a: 1 })).toBeUndefined();
  });
});
