import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineOperation, defineService, loadService } from '../../src/contract/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { openStore, verifyStore, type StoreOptions } from '../../src/store/index.ts';
import { ask } from './ask.ts';
import { apiKey, behind, type Handler } from './behind.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function open(folder: string, options: StoreOptions = {}) {
  const store = openStore(folder, options);
  onTestFinished(() => store.close());
  return store;
}

describe('the store of a proxy', () => {
  const counts = new Map<string, number>();
  const handler: Handler = (request, response, body) => {
    const name = `${request.method} ${request.url} ${body.toString()}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (request.url === '/no-store') response.setHeader('cache-control', 'no-store');
    if (request.url!.startsWith('/vary')) response.setHeader('vary', `Origin, ${request.url!.slice(6)}`);
    if (request.url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip', 'x-two': ['a', 'b'] }).end(gzipSync(name));
    else if (request.url === '/echo') response.end(`${request.headers.authorization}`);
    else if (request.url === '/missing') response.writeHead(404).end();
    else if (request.url === '/search') response.end(JSON.stringify({ rows: [name] }));
    else setTimeout(() => response.end(name.repeat(100)), 10);
  };

  it('has each GET paid once, however many want it at the same time, with the same bytes', async () => {
    counts.clear();
    const { proxy, url } = await behind(handler, { store: open(await newFolder()) });
    const paths = Array.from({ length: 20 }, (_, n) => `/q?n=${n}`);
    const wanted = Array.from({ length: 10 }, () => paths).flat();
    const answers = await Promise.all(wanted.map((path) => ask(proxy.url, path)));
    expect(counts.size).toBe(20);
    expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
    expect(answers.filter(({ header }) => header('x-trawler-store') === 'miss')).toHaveLength(20);
    for (const [n, { body }] of answers.entries()) expect(String(body)).toBe(`GET ${wanted[n]} `.repeat(100));
    expect(proxy.stats()).toMatchObject({ requests: 20, hits: 180, received: 200 });
    const own = await ask(url, '/gzip');
    for (const store of ['miss', 'hit']) {
      const { body, status, headers, header } = await ask(proxy.url, '/gzip');
      expect([
        status,
        header('x-trawler-store'),
        header('content-encoding'),
        headers.filter((_, at) => headers[at - 1] === 'x-two'),
      ]).toEqual([200, store, 'gzip', ['a', 'b']]);
      expect(body.equals(own.body)).toBe(true);
    }
  });

  it('keeps no write, no failure, no part, nothing that the service forbids, and no key', async () => {
    counts.clear();
    const folder = await newFolder();
    const { proxy } = await behind(handler, { store: open(folder) });
    for (let n = 0; n < 2; n += 1) {
      await ask(proxy.url, '/write', { method: 'POST', body: Buffer.from('x') });
      await ask(proxy.url, '/missing');
      await ask(proxy.url, '/no-store');
      await ask(proxy.url, '/vary/Accept-Encoding');
      await ask(proxy.url, '/vary/Cookie');
      await ask(proxy.url, '/part', { headers: { range: 'bytes=0-1' } });
      await ask(proxy.url, '/echo');
    }
    expect(Object.fromEntries(counts)).toEqual({
      'POST /write x': 2,
      'GET /missing ': 2,
      'GET /no-store ': 2,
      'GET /vary/Accept-Encoding ': 1,
      'GET /vary/Cookie ': 2,
      'GET /part ': 2,
      'GET /echo ': 1,
    });
    await proxy.close();
    const again = openStore(folder, { mode: 'replay' });
    const { proxy: replay } = await behind(handler, { store: again });
    expect(String((await ask(replay.url, '/echo')).body)).not.toContain(apiKey);
    await again.close();
  });

  it('keeps a POST that a description says reads, and heeds the age', async () => {
    counts.clear();
    const search = defineOperation({
      post: '/search',
      params: { q: { type: 'string' } },
      response: { rows: ['string'] },
      rows: 'rows',
    });
    const service = defineService({ name: 'shop', headers: { 'x-key': '${key}' }, operations: { search } });
    const folder = await newFolder();
    let now = 1_700_000_000_000;
    const { proxy } = await behind(handler, { service, store: open(folder, { maxAgeMs: 1000, now: () => now }) });
    const post = (q: string) =>
      ask(proxy.url, '/search', { method: 'POST', body: Buffer.from(q), headers: { 'content-type': 'application/json' } });
    for (const q of ['a', 'b', 'a', 'b', 'a']) await post(q);
    expect([...counts.values()]).toEqual([1, 1]);
    now += 1001;
    expect((await post('a')).header('x-trawler-store')).toBe('miss');
  });

  it('gives no caller what another one got with a key of its own', async () => {
    const { proxy } = await behind(handler, { store: open(await newFolder()), allowKey: true });
    const bodies = [];
    for (const authorization of ['Bearer one', 'Bearer two', 'Bearer one'])
      bodies.push(String((await ask(proxy.url, '/echo', { headers: { authorization } })).body));
    expect([bodies, proxy.stats().hits]).toEqual([['Bearer one', 'Bearer two', 'Bearer one'], 1]);
  });

  it('gives nothing else in a replay: 504, and nothing is sent', async () => {
    counts.clear();
    const folder = await newFolder();
    const first = openStore(folder);
    const { proxy, url } = await behind(handler, { store: first });
    await ask(proxy.url, '/known');
    await proxy.close();
    await first.close();
    const { proxy: replay } = await behind(handler, { baseUrl: url, apiKey: undefined, store: open(folder, { mode: 'replay' }) });
    const [known, other] = [await ask(replay.url, '/known'), await ask(replay.url, '/other')];
    expect([known.status, known.header('x-trawler-store'), other.status]).toEqual([200, 'hit', 504]);
    expect(JSON.parse(String(other.body))).toMatchObject({ error: 'replay' });
    expect([...counts.keys()]).toEqual(['GET /known ']);
    expect(verifyStore(folder).faults).toEqual([]);
  });
});

describe('the budget of a proxy', () => {
  it('is the ledger’s, by the prices of the description: 402 beyond it', async () => {
    const folder = await newFolder();
    const file = join(folder, 'priced.json');
    const priced = {
      name: 'priced',
      headers: { 'x-key': '${key}' },
      price: { search: 0.5, default: 0.1 },
      operations: { search: { get: '/search', response: {}, rows: null } },
    };
    await writeFile(file, JSON.stringify(priced));
    const ledger = join(folder, 'ledger');
    const env = { TRAWLER_LEDGER: ledger, TRAWLER_API_KEY: apiKey };
    await runInProcess(['spend', 'limit', '1.15', '--money', '--service', file], { env });
    let sent = 0;
    const { proxy } = await behind((_, response) => response.end(String((sent += 1))), { service: await loadService(file), ledger });
    const costs = [];
    for (const path of ['/search', '/other', '/search']) {
      const { status, header } = await ask(proxy.url, path, { headers: { 'x-trawler-caller': 'me' } });
      costs.push([status, header('x-trawler-cost')]);
    }
    expect(costs).toEqual([
      [200, '0.5'],
      [200, '0.1'],
      [200, '0.5'],
    ]);
    const beyond = await ask(proxy.url, '/search');
    const message = expect.stringMatching(/^not sent, because .*; where the proxy runs, trawler spend shows what was spent/) as string;
    expect([beyond.status, JSON.parse(String(beyond.body)), sent]).toMatchObject([402, { error: 'budget', message }, 3]);
    expect(proxy.stats()).toMatchObject({ received: 4, requests: 3, refused: 1, cost: 1.1 });
    expect(proxy.stats().callers.get('me')).toEqual({ requests: 3, hits: 0, cost: 1.1 });
    await proxy.close();
    expect((await runInProcess(['spend'], { env })).stdout).toContain('1.1 spent');
  });
});
