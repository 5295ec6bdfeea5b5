import type { ServerResponse } from 'node:http';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { from, lastValueFrom, map, mergeMap, of, range, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expandCursor, fanOut, items, offsetPages, placeReviews } from '../../src/operators.ts';
import { LazyRow } from '../../operators/LazyRow.ts';
import { lazily } from '../lazily.ts';
import { DemandNode } from '../../operators/demand/DemandNode.ts';
import { withDemand } from '../../operators/demand/demandScope.ts';
import { createClient, StoreError, type Client } from '../../src/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { exportStore, openStore } from '../../src/store/index.ts';
import { reply, startServer } from '../client/startServer.ts';
import { errorOf, eventsOf, outcome, reviews, testClient, testKey, until } from '../client/testClient.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'store-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The rows as texts, in one order. */
const crawl = (client: Client): Promise<string> =>
  lastValueFrom(
    of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(
      offsetPages(client.mapsSearch, { maxPages: 2 }),
      items(),
      placeReviews(client, { maxPages: 3 }),
      items(),
      map((review) => JSON.stringify(review)),
      toArray(),
      map((rows) => rows.sort().join('\n')),
    ),
  );
const exported = () => lastValueFrom(from(exportStore(folder)).pipe(toArray()));
const storeOne = async (url: string): Promise<void> => {
  await using client = testClient(url, { store: openStore(folder) });
  await outcome(client.mapsReviews({ data_id: 'a' }));
};
const count = async (client: Client, work: () => Promise<unknown>): Promise<{ requests: number; hits: number }> => {
  await work();
  const { requests, hits } = client.stats();
  return { requests, hits };
};
const places = (ids: readonly string[]): object => ({ reviews_results: ids.map((snippet) => ({ snippet })) });

describe('createClient with a store', () => {
  it('uses it as each request says', async () => {
    await using sandbox = await startSandbox();
    await using store = openStore(folder);
    await using client = testClient(sandbox.url, { apiKey: sandbox.apiKey, store });
    const figures = async (use?: 'use' | 'renew' | 'skip'): Promise<readonly number[]> => {
      await outcome(client.mapsReviews({ data_id: 'a' }, { store: use }));
      return [client.stats().requests, client.stats().hits];
    };
    expect([await figures('skip'), await figures(), await figures('use')]).toEqual([
      [1, 0],
      [2, 0],
      [2, 1],
    ]);
    expect([await figures('renew'), await figures('skip'), await figures()]).toEqual([
      [3, 1],
      [4, 1],
      [4, 2],
    ]);
  });

  it('sends no request the second time, and gives the same rows', async () => {
    await using sandbox = await startSandbox();
    const run = async (): Promise<{ rows: string; requests: number; hits: number }> => {
      await using store = openStore(folder);
      await using client = testClient(sandbox.url, { apiKey: sandbox.apiKey, store });
      const rows = await crawl(client);
      return { rows, requests: client.stats().requests, hits: client.stats().hits };
    };
    const first = await run();
    const second = await run();
    expect(first.requests).toBeGreaterThan(20);
    expect(second.rows === first.rows).toBe(true);
    expect(second).toMatchObject({ requests: 0, hits: first.requests + first.hits });
    expect(sandbox.requests).toHaveLength(first.requests);
  });

  it('replays without a network, an address or a key, and names the query that it has no response to', async () => {
    const sandbox = await startSandbox();
    let rows: string;
    {
      await using store = openStore(folder);
      await using client = testClient(sandbox.url, { apiKey: sandbox.apiKey, store });
      rows = await crawl(client);
    }
    await sandbox.close();
    await using client = createClient({ store: openStore(folder, { mode: 'replay' }) });
    expect((await crawl(client)) === rows).toBe(true);
    expect(client.stats()).toMatchObject({ requests: 0 });
    const error = await errorOf(client.mapsReviews({ data_id: 'unheard of' }));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({
      operation: 'mapsReviews',
      query: { data_id: 'unheard of' },
      message: `mapsReviews {"data_id":"unheard of"}: ${folder} has no response to it, and a replay sends no request; store it first, with mode 'reuse'`,
    });
  });

  it('finds a query whatever the order of its parameters, and with or without defaults', async () => {
    await using sandbox = await startSandbox();
    await using client = testClient(sandbox.url, { apiKey: sandbox.apiKey, store: openStore(folder) });
    const ask = (query: object): Promise<unknown> => outcome(client.mapsReviews(query as { data_id: string }));
    await ask({ data_id: 'a', language: 'de', results: 20 });
    await ask({ results: 20, language: 'de', data_id: 'a' });
    await ask({ results: 20, language: 'de', data_id: 'a', sort_by: 'qualityScore' });
    expect(client.stats()).toMatchObject({ requests: 1, hits: 2 });
    await ask({ data_id: 'a', language: 'de' });
    await ask({ data_id: 'a', language: 'de', results: 20, next_page_token: 'x' });
    expect(client.stats()).toMatchObject({ requests: 3, hits: 2 });
  });

  it('requests a response older than maxAgeMs again, and replaces it', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('good')));
    let now = 0;
    await using client = testClient(server.url, { store: openStore(folder, { maxAgeMs: { mapsReviews: 100 }, now: () => now }) });
    const ask = (): Promise<unknown> => outcome(client.mapsReviews({ data_id: 'a' }));
    expect(await count(client, ask)).toEqual({ requests: 1, hits: 0 });
    now = 100;
    expect(await count(client, ask)).toEqual({ requests: 1, hits: 1 });
    now = 101;
    expect(await count(client, ask)).toEqual({ requests: 2, hits: 1 });
    now = 200;
    expect(await count(client, ask)).toEqual({ requests: 2, hits: 2 });
  });

  it('takes no slot, no budget and no pace for a hit', async () => {
    let release: (() => unknown) | undefined;
    await using server = await startServer((request, response) => {
      if (request.url!.includes('slow')) release = () => reply(response, reviews('slow'));
      else reply(response, reviews('quick'));
    });
    await storeOne(server.url);
    const rate = { requests: 1, perMs: 3_600_000 };
    await using client = testClient(server.url, { store: openStore(folder), concurrency: 1, maxRequests: 1, rate });
    const slow = outcome(client.mapsReviews({ data_id: 'slow' }));
    await until(() => client.stats().inFlight === 1);
    for (let time = 0; time < 5; time++) expect((await outcome(client.mapsReviews({ data_id: 'a' }))).error).toBeUndefined();
    expect(client.stats()).toMatchObject({ requests: 1, hits: 5, budgetLeft: 0, inFlight: 1 });
    await until(() => release !== undefined);
    release!();
    expect((await slow).values).toHaveLength(1);
  });

  it('says where its budget ends that what came is kept', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('good')));
    await using client = testClient(server.url, { store: openStore(folder), maxRequests: 1 });
    await outcome(client.mapsReviews({ data_id: 'a' }));
    const { error } = await outcome(client.mapsReviews({ data_id: 'b' }));
    expect(String(error)).toContain('raise maxRequests to continue; what came is in the store, and is not paid again');
    await using other = testClient(server.url, { maxRequests: 0 });
    expect(String((await outcome(other.mapsReviews({ data_id: 'b' }))).error)).toMatch(/raise maxRequests to continue$/);
  });

  it('sends two equal requests at the same time once', async () => {
    await using server = await startServer((_, response) => setTimeout(() => reply(response, reviews('good')), 20));
    await using client = testClient(server.url, { store: openStore(folder) });
    const ask = (): ReturnType<typeof outcome> => outcome(client.mapsReviews({ data_id: 'a' }));
    const pages = await Promise.all([ask(), ask(), ask(), outcome(client.mapsReviews({ data_id: 'b' }))]);
    expect(pages.map(({ values }) => values.length)).toEqual([1, 1, 1, 1]);
    expect(client.stats()).toMatchObject({ requests: 2, hits: 2, inFlight: 0, budgetLeft: Infinity });
  });

  it.each(['fails', 'is cancelled'])('sends a request itself if the equal one %s', async (what) => {
    const responses: ServerResponse[] = [];
    await using server = await startServer((_, response) => void responses.push(response));
    await using client = testClient(server.url, { store: openStore(folder), retry: { maxAttempts: 1 } });
    let error: unknown;
    const first = client.mapsReviews({ data_id: 'a' }).subscribe({ error: (failed: unknown) => (error = failed) });
    const second = outcome(client.mapsReviews({ data_id: 'a' }));
    await until(() => responses.length === 1);
    if (what === 'fails') responses[0]!.socket!.destroy();
    else first.unsubscribe();
    await until(() => responses.length === 2);
    reply(responses[1]!, reviews('good'));
    expect((await second).values).toHaveLength(1);
    expect(error === undefined).toBe(what === 'is cancelled');
    expect(client.stats()).toMatchObject({ requests: 2, hits: 0, inFlight: 0 });
  });

  it.each([
    ['another status', (body: object) => ({ status: 404, body })],
    ['another code in the envelope', (body: object) => ({ status: 200, body: { ...body, code: 500 } })],
    ['no JSON', () => ({ status: 200, body: 'rubbish' })],
    ['no data', (body: object) => ({ status: 200, body: { ...body, data: null } })],
  ])('never stores a response with %s', async (_, change) => {
    const envelope = { code: 200, message: 'success', data: reviews('good'), requestId: 'r', timestamp: 1 };
    await using server = await startServer((_request, response) => {
      const { status, body } = change(envelope);
      response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await using store = openStore(folder);
    await using client = testClient(server.url, { store, retry: { maxAttempts: 1 } });
    await errorOf(client.mapsReviews({ data_id: 'a' }));
    await store.sync();
    expect(await exported()).toEqual([]);
  });

  it('never stores a page that contradicts its claim, nor one at which a walk breaks', async () => {
    await using server = await startServer((request, response) => {
      const url = new URL(request.url!, 'http://x');
      const token = url.searchParams.get('next_page_token');
      const short = url.searchParams.get('data_id') === 'short';
      const claim = { locationDetails: { reviews: 300 } };
      if (token === null) reply(response, { ...claim, ...places(['a', 'b']), next_page_token: 'second' });
      else
        reply(response, { ...claim, ...places([token]), ...(short ? {} : { next_page_token: token === 'second' ? 'third' : 'second' }) });
    });
    await using store = openStore(folder);
    await using client = testClient(server.url, { store });
    const { paging } = client.mapsReviews;
    const claims = { at: 'locationDetails.reviews' };
    const factory = Object.assign((query: { data_id: string }) => client.mapsReviews(query), { paging, claims });
    for (const data_id of ['short', 'circle']) await outcome(of({ data_id }).pipe(expandCursor(factory)));
    await store.sync();
    expect((await exported()).map(({ query }) => query)).toEqual([
      { data_id: 'short' },
      { data_id: 'circle' },
      { data_id: 'circle', next_page_token: 'second' },
    ]);
  });

  it('requests a damaged response again, and says where the damage is', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('good')));
    {
      await using store = openStore(folder);
      await using client = testClient(server.url, { store });
      await outcome(client.mapsReviews({ data_id: 'a' }));
      await store.close();
    }
    const file = join(folder, '000001.warc.gz');
    const bytes = readFileSync(file);
    bytes[bytes.length - 40]! ^= 1;
    writeFileSync(file, bytes);
    await using client = testClient(server.url, { store: openStore(folder) });
    const events = eventsOf(client);
    const { values } = await outcome(client.mapsReviews({ data_id: 'a' }));
    expect(values).toHaveLength(1);
    expect(events.find(({ type }) => type === 'store')).toMatchObject({
      operation: 'mapsReviews',
      message: expect.stringMatching(/000001\.warc\.gz, record at byte \d+: its bytes have changed/),
    });
    expect(client.stats()).toMatchObject({ requests: 1, hits: 0 });
  });

  it('reports hits, with the time of the response', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('good', 'bad')));
    const store = openStore(folder, { now: () => 1234 });
    await using client = testClient(server.url, { store });
    await outcome(client.mapsReviews({ data_id: 'a' }));
    const events = eventsOf(client);
    await outcome(client.mapsReviews({ data_id: 'a' }));
    expect(events.filter(({ type }) => type !== 'drift')).toMatchObject([
      { type: 'hit', operation: 'mapsReviews', query: { data_id: 'a' }, storedAt: 1234, items: 2 },
    ]);
  });

  it('leaves the rows of a stored page unparsed where they may stay so', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('one', 'two')));
    await using client = testClient(server.url, { store: openStore(folder) });
    const rows = async (lazy: boolean): Promise<readonly unknown[]> =>
      (await lastValueFrom(lazy ? lazily(client.mapsReviews({ data_id: 'a' })) : client.mapsReviews({ data_id: 'a' }))).items;
    const parsed = await rows(false);
    const lazy = await rows(true);
    expect(client.stats()).toMatchObject({ requests: 1, hits: 1 });
    expect(lazy.map((row) => row instanceof LazyRow && row.parse())).toEqual(parsed);
  });

  it('keeps the key out of every byte of the folder, even when the service repeats it', async () => {
    await using server = await startServer((request, response) => {
      const packed = request.url!.includes('packed');
      const body = Buffer.from(
        JSON.stringify({ code: 200, message: testKey, data: { ...reviews(`you sent ${testKey}`) }, requestId: testKey, timestamp: 1 }),
      );
      response.writeHead(200, { 'x-echo': [`key=${testKey}`, 'fine'], ...(packed ? { 'content-encoding': 'gzip' } : {}) });
      response.end(packed ? gzipSync(body) : body);
    });
    await using store = openStore(folder);
    await using client = testClient(server.url, { store });
    for (const data_id of ['packed', 'plain']) await outcome(client.mapsReviews({ data_id }));
    await store.close();
    const files = readdirSync(folder);
    expect(files.length).toBe(2);
    const texts = files.map((file) => {
      const bytes = readFileSync(join(folder, file));
      return bytes.toString('latin1') + (file.endsWith('.gz') ? gunzipSync(bytes).toString('latin1') : '');
    });
    expect(texts.join().includes('[key]')).toBe(true);
    expect(texts.join().includes(testKey)).toBe(false);
    expect(texts.join().includes('x-api-key')).toBe(false);
    await using again = testClient(server.url, { store: openStore(folder) });
    expect((await outcome(again.mapsReviews({ data_id: 'packed' }))).values[0]?.items).toEqual([{ snippet: 'you sent [key]' }]);
    expect(again.stats().requests).toBe(0);
  });

  it('holds back hits whose path to the sink holds', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('good')));
    await storeOne(server.url);
    await using client = testClient(server.url, { store: openStore(folder) });
    const node = new DemandNode(undefined);
    node.hold();
    let pages = 0;
    withDemand(node, () => client.mapsReviews({ data_id: 'a' }).subscribe(() => pages++));
    await new Promise((turn) => setTimeout(turn, 20));
    expect({ pages, waiting: client.stats().waiting }).toEqual({ pages: 0, waiting: 1 });
    node.release();
    await until(() => pages === 1);
    expect(client.stats()).toMatchObject({ waiting: 0, requests: 0, hits: 1 });
  });

  it('gives up a call that is unsubscribed while it waits to look into the store', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('good')));
    await using client = testClient(server.url, { store: openStore(folder) });
    const running = client.mapsReviews({ data_id: 'a' }).subscribe();
    expect(client.stats().waiting).toBe(1);
    running.unsubscribe();
    await new Promise((turn) => setTimeout(turn, 20));
    expect(client.stats()).toMatchObject({ waiting: 0, requests: 0 });
  });

  it('refuses calls after close, stored or not', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('good')));
    const client = testClient(server.url, { store: openStore(folder) });
    await outcome(client.mapsReviews({ data_id: 'a' }));
    const late = errorOf(client.mapsReviews({ data_id: 'a' }));
    await client.close();
    expect(String(await late)).toContain('closed');
    expect(String(await errorOf(client.mapsReviews({ data_id: 'a' })))).toContain('closed');
  });

  it('lets 3,000 hits through without growing the stack, and lets others have their turn meanwhile', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('good')));
    await using client = testClient(server.url, { store: openStore(folder) });
    await outcome(client.mapsReviews({ data_id: 'a' }));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const pages = await lastValueFrom(
      range(0, 3000).pipe(
        fanOut(() => client.mapsReviews({ data_id: 'a' }), { concurrency: 4 }),
        toArray(),
      ),
    );
    clearInterval(timer);
    expect(pages).toHaveLength(3000);
    expect(client.stats().requests).toBe(1);
    expect(turns).toBeGreaterThan(5);
  });

  it('says once that nothing can be stored any more, and goes on', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('good')));
    const store = openStore(join(folder, 'file'));
    writeFileSync(join(folder, 'file'), ''); // in place of the folder
    const client = testClient(server.url, { store });
    const events = eventsOf(client);
    const pages = await lastValueFrom(
      from(['a', 'b', 'c']).pipe(
        mergeMap((data_id) => client.mapsReviews({ data_id }), 1),
        toArray(),
      ),
    );
    expect(pages).toHaveLength(3);
    expect(events.filter(({ type }) => type === 'store')).toHaveLength(1);
    await expect(client.close()).rejects.toThrow(/storing responses failed: /);
  });
});
