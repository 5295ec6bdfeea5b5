import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Service } from '../../src/contract/index.ts';
import { startProxy, type ProxyOptions } from '../../src/proxy/index.ts';
import { serpApi } from '../../src/services/serpapi/index.ts';
import { serper } from '../../src/services/serper/index.ts';
import { openStore } from '../../src/store/index.ts';
import { proxyTexts } from '../../src/cli/commands/proxy.ts';
import { ask, type Answered } from './ask.ts';
import { startSerpApi } from '../vendors/serpApi.ts';
import { startSerper } from '../vendors/serper.ts';
import type { StandIn, StandInOptions } from '../vendors/standIn.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A proxy in front of a vendor's stand-in, with a store. All that it gives is looked at for the key. */
async function inFront(
  service: Service,
  start: (options?: StandInOptions) => Promise<StandIn>,
  given: StandInOptions = {},
  options: ProxyOptions = {},
) {
  const standIn = await start(given);
  const folder = await newFolder();
  const store = openStore(folder);
  const of = { service, baseUrl: standIn.url, apiKey: standIn.key, store, port: 0, ledger: false, waitMs: 5000, ...options } as const;
  const proxy = await startProxy(of);
  onTestFinished(async () => {
    const page = proxyTexts({ url: standIn.url, stats: () => proxy.stats() });
    for (const text of Object.values(page)) expect(text()).not.toContain(standIn.key);
    await proxy.close();
    await store.close();
    for (const name of await readdir(folder, { recursive: true }))
      expect(String(await readFile(join(folder, name)).catch(() => ''))).not.toContain(standIn.key);
    await standIn.close();
  });
  const asked = async (path: string, how?: Parameters<typeof ask>[2]): Promise<Answered & { readonly json: object }> => {
    const answer = await ask(proxy.url, path, { ...how, headers: { 'x-trawler-caller': 'me', ...how?.headers } });
    expect(`${answer.headers.join()} ${String(answer.body)}`).not.toContain(standIn.key);
    return { ...answer, json: answer.body.length === 0 ? {} : JSON.parse(String(answer.body)) };
  };
  const post = (path: string, body: object, headers = {}): Promise<Answered & { readonly json: object }> =>
    asked(path, { method: 'POST', body: Buffer.from(JSON.stringify(body)), headers: { 'content-type': 'application/json', ...headers } });
  return { standIn, proxy, asked, post };
}

const figures = ({ header }: Answered): unknown[] => ['store', 'cost', 'attempts'].map((name) => header(`x-trawler-${name}`));
const tea = 'engine=google&q=tea';

describe('a proxy in front of SerpApi', () => {
  it('puts the key in the address, in place of what a client sends, and has each search paid once', async () => {
    const { standIn, asked } = await inFront(serpApi, startSerpApi);
    for (const path of ['/search.json', '/search']) {
      for (const [n, more] of ['', '&api_key=placeholder', '&api_key=', ''].entries()) {
        const found = await asked(`${path}?engine=google${more}&q=${path.length}`);
        expect([found.status, figures(found)]).toEqual([200, n === 0 ? ['miss', '1', '1'] : ['hit', '0', '0']]);
        expect(found.json).toHaveProperty('organic_results');
      }
    }
    expect(standIn.requests.map(({ query }) => query['api_key'])).toEqual([standIn.key, standIn.key]);
    expect(standIn.charged).toBe(2);
  });

  it('stores no account, which costs nothing and repeats the key', async () => {
    const { standIn, asked } = await inFront(serpApi, startSerpApi, { credits: 7 });
    for (const path of ['/account.json', '/account', '/account.json', '/account']) {
      const found = await asked(path);
      expect([found.json, figures(found)]).toMatchObject([
        { total_searches_left: 7, api_key: expect.stringMatching(/^\*+$/) },
        ['miss', '0', '1'],
      ]);
    }
    expect(standIn.requests).toHaveLength(4);
  });

  it.each(['/search.json', '/search'])('tries again what is busy or too fast, and counts what was charged (%s)', async (path) => {
    const { standIn, proxy, asked } = await inFront(serpApi, startSerpApi);
    standIn.outage = 1;
    standIn.tooFast = 1;
    const found = await asked(`${path}?${tea}`);
    expect([found.status, figures(found)]).toEqual([200, ['miss', String(standIn.charged), '3']]);
    expect(proxy.stats().callers.get('me')).toEqual({ requests: 1, hits: 0, cost: 1 });
  });

  it.each(['/search.json', '/search'])(
    'gives 402 without searches, and passes on a wrong key and that nothing was found (%s)',
    async (path) => {
      const { standIn, asked } = await inFront(serpApi, startSerpApi, { credits: 1 });
      const none = `${path}?engine=google&q=nothing+of+that`;
      const own = await asked(none);
      expect([own.status, figures(own)]).toEqual([200, ['miss', '1', '1']]);
      expect(own.json).toHaveProperty('error');
      expect(figures(await asked(none))).toEqual(['hit', '0', '0']);
      const spent = await asked(`${path}?${tea}`);
      expect([spent.status, spent.json, figures(spent)]).toMatchObject([402, { error: 'quota' }, ['miss', '0', '1']]);
      standIn.credits = 5;
      expect((await asked(`${path}?${tea}`)).status).toBe(200);
      standIn.refuseKey = true;
      const refused = await asked(`${path}?engine=google&q=other`);
      expect([refused.status, refused.json]).toMatchObject([401, { error: expect.stringContaining('Invalid API key') }]);
    },
  );

  it('knows the operation by the constants of its address', async () => {
    const ledger = join(await newFolder(), 'ledger');
    const { proxy, asked } = await inFront(serpApi, startSerpApi, {}, { ledger });
    // One without an engine is for that of the web, as some clients send it. The stand-in refuses it.
    for (const query of ['engine=google_news&q=tea', 'q=tea', 'engine=google&device=mobile&q=tea', 'engine=google_flights&q=x', tea])
      await asked(`/search?${query}`);
    expect((await asked(`/search?${tea}`, { method: 'HEAD' })).status).toBe(404);
    await proxy.close();
    const booked = String(await readFile(ledger));
    const spent = [...booked.matchAll(/"operation":"(\w+)","requests":1,/g)].map(([, name]) => name);
    expect(spent.toSorted((one, other) => String(one).localeCompare(String(other)))).toEqual([
      'mobileSearch',
      'newsSearch',
      'reads',
      'webSearch',
      'webSearch',
      'webSearch',
    ]);
  });
});

describe('a proxy in front of Serper', () => {
  it('puts the key in a header, in place of what a client sends, and has each search paid once', async () => {
    const { standIn, post } = await inFront(serper, startSerper);
    for (const headers of [{}, { 'X-API-KEY': 'placeholder' }]) {
      const found = await post('/search', { q: 'tea' }, headers);
      expect([found.status, found.json]).toMatchObject([200, { organic: expect.any(Array) }]);
    }
    expect(standIn.requests.map(({ headers }) => headers['x-api-key'])).toEqual([standIn.key]);
    expect(figures(await post('/search', { q: 'tea' }))).toEqual(['hit', '0', '0']);
    expect(standIn.charged).toBe(1);
  });

  it('counts what a response says that it costs, up to the budget', async () => {
    const ledger = join(await newFolder(), 'ledger');
    const { standIn, proxy, post, asked } = await inFront(serper, startSerper, {}, { ledger, maxRequests: 5 });
    const costs = [
      await post('/images', { q: 'cats 123', num: 100 }),
      await post('/maps', { q: 'coffee in Lisbon' }),
      await asked('/account'),
      await asked('/account'),
      await asked('/search?q=tea&apiKey=placeholder'),
      await post('/search', { q: 'more' }),
    ].map((answer) => [answer.status, ...figures(answer)]);
    expect(costs).toEqual([
      [200, 'miss', '2', '1'],
      [200, 'miss', '3', '1'],
      [200, 'miss', '0', '1'],
      [200, 'miss', '0', '1'],
      [200, 'miss', '1', '1'],
      [402, 'miss', '0', '0'],
    ]);
    expect(proxy.stats().callers.get('me')?.cost).toBe(standIn.charged);
  });

  it('books of a long request that is refused what it says that it costs', async () => {
    const ledger = join(await newFolder(), 'ledger');
    const { standIn, proxy, post } = await inFront(serper, startSerper, {}, { ledger });
    standIn.refuseKey = true;
    const refused = await post('/search', { q: 'x'.repeat(2_000_000) });
    expect([refused.status, figures(refused)]).toEqual([403, ['miss', '0', '1']]);
    await proxy.close();
    expect(String(await readFile(ledger))).toContain('"requests":1,"money":"0","failed":1');
  });

  it('gives 402 without credits, and passes on a wrong key and what is badly asked', async () => {
    const { standIn, post } = await inFront(serper, startSerper, { credits: 0 });
    const spent = await post('/search', { q: 'tea' });
    expect([spent.status, spent.json, figures(spent)]).toMatchObject([402, { error: 'quota' }, ['miss', '0', '1']]);
    standIn.refuseKey = true;
    expect((await post('/search', { q: 'tea' })).status).toBe(403);
    standIn.refuseKey = false;
    const bad = await post('/search', {});
    expect([bad.status, bad.json]).toMatchObject([400, { message: 'Missing q' }]);
    standIn.outage = 1;
    standIn.credits = 5;
    const found = await post('/search', { q: 'tea' });
    expect([found.status, figures(found)]).toEqual([200, ['miss', '1', '2']]);
  });
});
