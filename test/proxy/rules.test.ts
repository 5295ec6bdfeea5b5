import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineOperation, defineService, type Operation } from '../../src/contract/index.ts';
import { openStore } from '../../src/store/index.ts';
import { ask } from './ask.ts';
import { behind } from './behind.ts';

const spec = { params: { q: { type: 'string' } }, response: { rows: ['string'] }, rows: 'rows' } as const;
const service = defineService({
  name: 'shop',
  headers: { 'x-key': '${key}' },
  price: { search: 0.5, failed: 0.25, default: 0.125 },
  limits: { slow: { requests: 5, perMs: 1000 } },
  failures: [
    { at: 'error.code', is: 'BUSY', means: 'busy' },
    { at: 'error.code', is: 'LATER', means: 'quota', until: 'error.inSeconds' },
    { at: 'error.code', is: 'QUOTA', means: 'quota' },
    { at: 'error.code', is: 'KEY', means: 'auth' },
    { at: 'error.code', is: 'NONE', means: 'empty' },
  ],
  operations: {
    search: defineOperation({ get: '/search', ...spec }),
    slow: defineOperation({ get: '/slow', ...spec, group: 'slow' }),
    read: defineOperation({ post: '/read', ...spec }) as Operation,
  },
});

/** A service that answers everything with 200: `?q=BUSY-2` gives two of these errors, then rows. */
async function behindRules(options: Parameters<typeof behind>[1] = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const counts = new Map<string, number>();
  const store = openStore(folder);
  const made = await behind(
    (request, response) => {
      const count = (counts.get(request.url!) ?? 0) + 1;
      counts.set(request.url!, count);
      const [, code, times = Infinity] = /q=([A-Z]+)(?:-(\d+))?/.exec(request.url!) ?? [];
      const isError = code !== undefined && count <= Number(times);
      const body = JSON.stringify(isError ? { error: code === 'PLAIN' ? 'no such thing' : { code, inSeconds: 90 } } : { rows: [count] });
      const isPacked = request.headers['accept-encoding'] === 'gzip';
      response.writeHead(200, { 'content-type': 'application/json', ...(isPacked && { 'content-encoding': 'gzip' }) });
      response.end(isPacked ? gzipSync(body) : body);
    },
    { service, store, waitMs: 5000, ...options },
  );
  onTestFinished(() => store.close());
  return { ...made, counts, size: () => store.size };
}

describe('the rules of a description', () => {
  it.each(['identity', 'gzip'])('try again above the caller’s head what is busy, though it came with 200 (%s)', async (encoding) => {
    const { proxy, counts } = await behindRules();
    const { status, body, header } = await ask(proxy.url, '/search?q=BUSY-2', {
      headers: { 'accept-encoding': encoding, 'x-trawler-caller': 'me' },
    });
    expect([status, header('x-trawler-attempts'), header('x-trawler-cost')]).toEqual([200, '3', '1']);
    expect(String(body)).toBe(encoding === 'gzip' ? String(gzipSync('{"rows":[3]}')) : '{"rows":[3]}');
    expect([...counts.values()]).toEqual([3]);
    expect(proxy.stats().callers.get('me')).toEqual({ requests: 1, hits: 0, cost: 1 });
  });

  it('give 402 where the service has nothing left, and 429 where it says when it has', async () => {
    const { proxy, size } = await behindRules();
    const none = await ask(proxy.url, '/search?q=QUOTA');
    expect([none.status, none.header('x-trawler-cost'), JSON.parse(String(none.body))]).toMatchObject([402, '0.25', { error: 'quota' }]);
    expect((await ask(proxy.url, '/search?q=other')).status).toBe(200);
    const later = await ask(proxy.url, '/search?q=LATER');
    expect([later.status, later.header('retry-after'), JSON.parse(String(later.body))]).toMatchObject([429, '90', { error: 'limit' }]);
    const next = await ask(proxy.url, '/search?q=more');
    expect([next.status, Number(next.header('retry-after')) > 80, Number(next.header('x-trawler-waited-ms')) < 2000]).toEqual([
      429,
      true,
      true,
    ]);
    expect(size()).toBe(1);
  });

  it('pass on as it is that there are no rows, a refused key and any other error, and store no error', async () => {
    const { proxy, url, counts, size } = await behindRules();
    for (const path of ['/search?q=KEY', '/search?q=PLAIN', '/search?q=NONE', '/search?q=x', '/raw?q=BUSY'])
      for (let n = 0; n < 2; n += 1) {
        const { status, body } = await ask(proxy.url, path);
        expect([path, status, String(body)]).toEqual([path, 200, String((await ask(url, path)).body).replace(/\d+\]/, '1]')]);
      }
    // Two of each were asked of the service itself. Of an unknown path only the status is known.
    expect([...counts.values()].map((count) => count - 2)).toEqual([2, 2, 1, 1, 1]);
    expect(size()).toBe(3);
  });

  it('keep the limit of a group, and send a POST that reads again', async () => {
    const { proxy } = await behindRules({ rate: 'auto' });
    const from = performance.now();
    await Promise.all(Array.from({ length: 11 }, (_, n) => ask(proxy.url, `/slow?q=${n}`)));
    expect(performance.now() - from).toBeGreaterThan(900);
    const { status, header } = await ask(proxy.url, '/read?q=BUSY-1', { method: 'POST', body: Buffer.from('{}') });
    expect([status, header('x-trawler-attempts')]).toEqual([200, '2']);
  });

  it('say what each costs until the budget is spent', async () => {
    const { proxy } = await behindRules({ maxRequests: 4 });
    const asked = async (path: string, caller: string): Promise<unknown> => {
      const { status, header } = await ask(proxy.url, path, { headers: { 'x-trawler-caller': caller } });
      return [status, header('x-trawler-cost')];
    };
    expect(await asked('/search?q=a', 'one')).toEqual([200, '0.5']);
    expect(await asked('/other', 'two')).toEqual([200, '0.125']);
    expect(await asked('/search?q=BUSY-1', 'one')).toEqual([200, '0.75']);
    expect(await asked('/search?q=b', 'two')).toEqual([402, '0']);
    expect(await asked('/search?q=a', 'two')).toEqual([200, '0']);
    expect(Object.fromEntries(proxy.stats().callers)).toEqual({
      one: { requests: 2, hits: 0, cost: 1.25 },
      two: { requests: 3, hits: 1, cost: 0.125 },
    });
  });

  it('send each request alone where queries may share one', async () => {
    const videos = defineOperation({
      get: '/videos',
      query: { ids: '${ids:comma}' },
      params: { ids: { type: 'strings', batch: { size: 50, id: 'id' }, required: true } },
      response: { rows: [{ id: 'string' }] },
      rows: 'rows',
    });
    const tube = defineService({ name: 'tube', operations: { videos } });
    const { proxy } = await behind((request, response) => response.end(JSON.stringify({ rows: [{ id: request.url }] })), { service: tube });
    const paths = ['/videos?ids=a', '/videos?ids=b'];
    const bodies = await Promise.all(paths.map(async (path) => String((await ask(proxy.url, path)).body)));
    expect(bodies).toEqual(paths.map((id) => JSON.stringify({ rows: [{ id }] })));
  });

  it('renew a token that is refused, once', async () => {
    let tokens = 0;
    const { proxy } = await behind(
      (request, response) => {
        if (request.url === '/token') response.end(JSON.stringify({ token: `token-number-${(tokens += 1)}` }));
        else response.writeHead(request.headers.authorization === 'Bearer token-number-2' ? 200 : 401).end('{"rows":[]}');
      },
      {
        service: defineService({
          name: 'shop',
          headers: { authorization: 'Bearer ${token}' },
          token: { post: '/token', body: { key: '${key}' }, at: 'token' },
          operations: { search: defineOperation({ get: '/search', ...spec }) },
        }),
      },
    );
    for (const path of ['/search', '/raw']) expect([path, (await ask(proxy.url, path)).status]).toEqual([path, 200]);
    expect(tokens).toBe(2);
  });
});
