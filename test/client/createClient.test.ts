import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { inspect, promisify } from 'node:util';
import { firstValueFrom, mergeMap, range, take, toArray } from 'rxjs';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { DemandNode } from '../../operators/demand/DemandNode.ts';
import { createClient, InvalidQueryError, operations, searchService, TrawlerError, type OperationName } from '../../src/index.ts';
import { currentDemand, withDemand } from '../../operators/demand/demandScope.ts';
import { param, reply, startServer } from './startServer.ts';
import { errorOf, outcome, reviews, testClient, testKey, until } from './testClient.ts';

afterEach(() => vi.unstubAllEnvs());

describe('createClient', () => {
  it('turns a query into one page', async () => {
    const asked: { url?: string | undefined; headers: object }[] = [];
    await using server = await startServer((request, response) => {
      asked.push({ url: request.url, headers: request.headers });
      reply(response, { ...reviews('good', 'bad'), extra: 1 });
    });
    await using client = testClient(server.url);
    const pages = await firstValueFrom(client.mapsReviews({ data_id: '0x1:0x2', results: 20 }).pipe(toArray()));
    expect(pages).toHaveLength(1);
    expect({ ...pages[0] }).toEqual({
      operation: 'mapsReviews',
      query: { data_id: '0x1:0x2', results: 20 },
      data: { ...reviews('good', 'bad'), extra: 1 },
      items: reviews('good', 'bad').reviews_results,
      requestId: '00000000-0000-4000-8000-000000000000',
      timestamp: 1_767_225_600_000,
    });
    expect(pages[0]!.list).toBe('present');
    expect(pages[0]!.origin).toMatchObject({ operation: 'mapsReviews' });
    expect(pages[0]!.origin!.columns.length).toBeGreaterThan(10);
    expect(asked).toHaveLength(1);
    expect(asked[0]!.url).toBe('/api/v1/engine/maps/reviews?data_id=0x1%3A0x2&results=20');
    expect(asked[0]!.headers).toMatchObject({
      'x-api-key': testKey,
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': expect.stringMatching(/^trawler\/\d+\.\d+\.\d+$/),
    });
  });

  it('sends no request before it is subscribed to, and one per subscriber', async () => {
    let asked = 0;
    await using server = await startServer((_, response) => {
      asked++;
      reply(response, reviews());
    });
    await using client = testClient(server.url);
    const page$ = client.mapsReviews({ data_id: 'a' });
    expect(client.stats().requests).toBe(0);
    await outcome(page$);
    await outcome(page$);
    expect(asked).toBe(2);
  });

  it('has a factory for each operation, with its name and paging', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: testKey });
    for (const name of Object.keys(operations) as OperationName[]) {
      const factory = client[name];
      expect(factory.name).toBe(name);
      expect(factory.operation).toBe(searchService.operations[name]);
      expect(factory.list).toBe(operations[name].spec.rows);
      expect(factory.paging).toBe(operations[name].spec.paging);
      expect(factory.paginationError!('stuck', { query: {}, lastCursor: 'x' })).toMatchObject({ name: 'PaginationError', lastCursor: 'x' });
    }
    await client.close();
  });

  it('takes its rows from another list, and says when a list is absent', async () => {
    await using server = await startServer((_, response) => reply(response, { topics: [{ id: 't' }], reviews_results: [] }));
    await using client = testClient(server.url);
    const page = await firstValueFrom(client.mapsReviews({ data_id: 'a' }, { rows: 'topics' }));
    expect(page.items).toEqual([{ id: 't' }]);
    expect(page.list).toBe('present');
    const other = await firstValueFrom(client.mapsReviews({ data_id: 'a' }, { rows: 'no.such' }));
    expect([other.items, other.list]).toEqual([[], 'absent']);
  });

  it('refuses an invalid query before any request, and suggests the nearest name', async () => {
    await using server = await startServer((_, response) => reply(response));
    await using client = testClient(server.url);
    const query = { data_id: 'a', sort: 'x', nextPageToken: 'y' };
    const error = await errorOf(client.mapsReviews(query));
    expect(error).toBeInstanceOf(InvalidQueryError);
    expect(error).toMatchObject({ operation: 'mapsReviews', query, message: expect.stringContaining('next_page_token') as string });
    expect(server.connections()).toBe(0);
    expect(client.stats().requests).toBe(0);
  });

  it('takes address and key from the environment', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('x')));
    vi.stubEnv('TRAWLER_BASE_URL', server.url);
    vi.stubEnv('TRAWLER_API_KEY', 'from-outside');
    await using client = createClient();
    expect((await firstValueFrom(client.mapsReviews({ data_id: 'a' }))).items).toHaveLength(1);
  });

  it('ends a request with the reason of its signal', async () => {
    let closed = 0;
    await using server = await startServer((request) => void request.socket.on('close', () => closed++));
    await using client = testClient(server.url);
    const abort = new AbortController();
    const failing = errorOf(client.mapsReviews({ data_id: 'a' }, { signal: abort.signal }));
    await until(() => client.stats().inFlight === 1 && server.sockets.size === 1);
    abort.abort();
    expect(await failing).toBe(abort.signal.reason);
    expect(client.stats().inFlight).toBe(0);
    await until(() => closed === 1, 'closing the socket');
    expect(await errorOf(client.mapsReviews({ data_id: 'a' }, { signal: AbortSignal.abort(new Error('no')) }))).toMatchObject({
      message: 'no',
    });
    expect(client.stats().requests).toBe(1);
  });

  it('ends the request when the subscription ends, and frees its place', async () => {
    await using server = await startServer((request, response) => {
      if (param(request, 'data_id') !== 'slow') reply(response, reviews());
    });
    await using client = testClient(server.url, { concurrency: 1 });
    const slow = client.mapsReviews({ data_id: 'slow' }).subscribe();
    const fast = outcome(client.mapsReviews({ data_id: 'fast' }));
    await until(() => server.sockets.size === 1);
    expect(client.stats()).toMatchObject({ inFlight: 1, waiting: 1 });
    slow.unsubscribe();
    expect((await fast).values).toHaveLength(1);
    expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0, failures: 0 });
  });

  it('calls back in the async context of the caller', async () => {
    await using server = await startServer((request, response) => {
      setTimeout(() => (param(request, 'data_id') === '7' ? response.writeHead(404).end() : reply(response, reviews('x'))), 2);
    });
    await using client = testClient(server.url, { concurrency: 4 });
    const storage = new AsyncLocalStorage<number>();
    const seen: (number | undefined)[][] = [];
    const calls = Array.from({ length: 40 }, (_, n) =>
      storage.run(n, () => {
        const own: (number | undefined)[] = (seen[n] = []);
        const look = (): void => void own.push(storage.getStore());
        return new Promise<void>((done) => {
          const end = (): void => {
            look();
            done();
          };
          client.mapsReviews({ data_id: `${n}` }).subscribe({ next: look, complete: end, error: end });
        });
      }),
    );
    await Promise.all(calls);
    expect(seen).toEqual(Array.from({ length: 40 }, (_, n) => (n === 7 ? [n] : [n, n])));
  });

  it('sends each request, and each retry, in the async context of its caller', async () => {
    let requests = 0;
    await using server = await startServer((_, response) => {
      if (++requests % 3 === 0) response.writeHead(503).end();
      else reply(response, reviews('x'));
    });
    await using client = testClient(server.url, { concurrency: 1, retry: { baseMs: 1 } });
    const storage = new AsyncLocalStorage<string>();
    const sent: [string | undefined, string | undefined][] = [];
    const created = (message: unknown): void => {
      const { path } = (message as { readonly request: { readonly path: string } }).request;
      sent.push([storage.getStore(), /data_id=(\w)/.exec(path)?.[1]]);
    };
    subscribe('undici:request:create', created);
    try {
      await Promise.all(['a', 'b', 'c', 'd', 'e'].map((data_id) => storage.run(data_id, () => outcome(client.mapsReviews({ data_id })))));
    } finally {
      unsubscribe('undici:request:create', created);
    }
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.filter(([caller, query]) => caller !== query)).toEqual([]);
  });

  it('delivers a page at the place that requested it', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('x')));
    await using client = testClient(server.url);
    const node = new DemandNode(undefined);
    const seen: unknown[] = [];
    await new Promise<void>((done) => {
      withDemand(node, () => client.mapsReviews({ data_id: 'a' }).subscribe({ next: () => seen.push(currentDemand()), complete: done }));
    });
    expect(seen).toMatchObject([{ parent: node, depth: node.depth }]);
  });

  it('keeps requests in flight within its concurrency', async () => {
    let now = 0;
    let most = 0;
    await using server = await startServer((_, response) => {
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        reply(response, reviews('x'));
      }, 2);
    });
    await using client = testClient(server.url, { concurrency: 3 });
    const pages = await firstValueFrom(
      range(100).pipe(
        mergeMap((n) => client.mapsReviews({ data_id: `${n}` })),
        toArray(),
      ),
    );
    expect(pages).toHaveLength(100);
    expect(most).toBe(3);
    expect(server.connections()).toBeLessThanOrEqual(6);
  });

  it('shows neither key nor request in inspect, JSON, or its own fields', async () => {
    await using client = createClient({ baseUrl: 'https://api.example.com', apiKey: testKey });
    expect(inspect(client)).toBe("Client { origin: 'https://api.example.com', prefix: '/api/v1/engine', concurrency: 8 }");
    expect(JSON.stringify(client)).toBe('{"origin":"https://api.example.com","prefix":"/api/v1/engine","concurrency":8}');
    const all = inspect({ ...client }, { depth: 20, showHidden: true });
    expect(all).not.toContain(testKey);
  });

  describe('close', () => {
    it('ends what is in flight and what waits, once, and leaves no connection', async () => {
      await using server = await startServer(() => {});
      const client = testClient(server.url, { concurrency: 1 });
      const calls = ['a', 'b', 'c'].map((data_id) => errorOf(client.mapsReviews({ data_id })));
      await until(() => server.sockets.size === 1);
      let told = false;
      client.events$.subscribe({ complete: () => (told = true) });
      const closing = client.close();
      expect(client.close()).toBe(closing);
      await closing;
      for (const error of await Promise.all(calls)) {
        expect(error).toBeInstanceOf(TrawlerError);
        expect(error).toMatchObject({ message: expect.stringContaining('closed') as string, operation: 'mapsReviews' });
      }
      expect(told).toBe(true);
      await until(() => server.sockets.size === 0, 'closing the sockets');
      expect(await errorOf(client.mapsReviews({ data_id: 'd' }))).toMatchObject({ message: expect.stringContaining('closed') as string });
    });

    it('leaves a given dispatcher open', async () => {
      const { Agent } = await import('undici');
      await using server = await startServer((_, response) => reply(response, reviews('x')));
      const dispatcher = new Agent();
      const client = testClient(server.url, { dispatcher });
      expect((await outcome(client.mapsReviews({ data_id: 'a' }))).values).toHaveLength(1);
      await client.close();
      expect(dispatcher.closed || dispatcher.destroyed).toBe(false);
      await dispatcher.close();
    });
  });

  it("doesn't keep a process alive without requests", async () => {
    await using server = await startServer((_, response) => reply(response, reviews('x')));
    const index = pathToFileURL(`${inject('dist')}/bundle/index.js`).href;
    const script = `import { createClient } from ${JSON.stringify(index)};
      const client = createClient({ baseUrl: ${JSON.stringify(server.url)}, apiKey: 'key' });
      client.health$.subscribe();
      client.mapsReviews({ data_id: 'a' }).subscribe((page) => console.log(page.items.length));`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect((await run).stdout).toBe('1\n');
  });

  it('leaves nothing after a thousand subscriptions that ended at random moments', async () => {
    await using server = await startServer((_, response) => setTimeout(() => reply(response, reviews('x')), Math.random() * 3));
    const client = testClient(server.url, { concurrency: 16 });
    const rejections: unknown[] = [];
    const listen = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', listen);
    const ends = Array.from({ length: 1000 }, async (_, n) => {
      const subscription = client.mapsReviews({ data_id: `${n}` }).subscribe();
      await new Promise((done) => setTimeout(done, Math.random() * 200));
      subscription.unsubscribe();
    });
    await Promise.all(ends);
    expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0, failures: 0 });
    expect((await outcome(client.mapsReviews({ data_id: 'last' }).pipe(take(1)))).values).toHaveLength(1);
    await client.close();
    await until(() => server.sockets.size === 0, 'closing the sockets');
    process.off('unhandledRejection', listen);
    expect(rejections).toEqual([]);
  });
});
