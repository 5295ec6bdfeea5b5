import { spawnSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { config, firstValueFrom, Subject, takeUntil } from 'rxjs';
import { MockAgent } from 'undici';
import { describe, expect, inject, it } from 'vitest';
import { type ClientEvent, EventHub } from '../../../src/client/events/clientEvents.ts';
import type { TrawlerError } from '../../../src/errors/index.ts';
import { reply, startServer } from '../startServer.ts';
import { errorOf, eventsOf, outcome, reviews, testClient, testKey } from '../testClient.ts';

const query = { data_id: 'a' };
const event: ClientEvent = { type: 'unread', operation: 'mapsReviews', query, at: 1, list: 'x', items: 2 };

describe('EventHub', () => {
  it('is on while somebody listens, to the stream or to the channel', () => {
    const hub = new EventHub();
    expect(hub.on).toBe(false);
    const seen: ClientEvent[] = [];
    const subscription = hub.stream.subscribe((one) => seen.push(one));
    expect(hub.on).toBe(true);
    hub.emit(event);
    subscription.unsubscribe();
    expect(hub.on).toBe(false);
    const listener = (message: unknown): void => void seen.push(message as ClientEvent);
    subscribe('trawler', listener);
    expect(hub.on).toBe(true);
    hub.emit(event);
    unsubscribe('trawler', listener);
    expect(hub.on).toBe(false);
    expect(seen).toEqual([event, event]);
  });

  it('prints to standard error with NODE_DEBUG=trawler, without what could move a terminal', () => {
    const module = pathToFileURL(`${inject('dist')}/src/client/events/clientEvents.js`).href;
    const script = `import { EventHub } from ${JSON.stringify(module)};
      const hub = new EventHub();
      if (hub.on) hub.emit({ type: 'failure', operation: 'mapsReviews', query: { q: '\\u202e' }, at: 1, id: 1, attempt: 2, error: new TypeError('\\u001b[31m') });`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, NODE_DEBUG: 'trawler' },
      encoding: 'utf8',
    });
    expect(stderr).toMatch(
      /TRAWLER \d+: failure mapsReviews query=\{"q":"\\u\{202e\}"\} id=1 attempt=2 error=TypeError: \\u\{1b\}\[31m\n$/,
    );
  });
});

describe('events$', () => {
  it('tells a request, its response, and what came between', async () => {
    let asked = 0;
    await using server = await startServer((_, response) =>
      ++asked === 1 ? response.writeHead(503).end() : reply(response, reviews('x', 'y')),
    );
    await using client = testClient(server.url, { retry: { baseMs: 1 }, validate: 'off' });
    const events = eventsOf(client);
    await outcome(client.mapsReviews(query));
    expect(events).toMatchObject([
      { type: 'request', operation: 'mapsReviews', query, id: 1, attempt: 1 },
      { type: 'retry', id: 1, attempt: 1, error: { name: 'HttpError', status: 503 } },
      { type: 'request', id: 1, attempt: 2 },
      { type: 'response', id: 1, attempt: 2, status: 200, items: 2, requestId: '00000000-0000-4000-8000-000000000000' },
    ]);
    const response = events.at(-1)!;
    if (response.type !== 'response') throw new Error('no response');
    expect(response.bytes).toBeGreaterThan(100);
    expect(response.ms).toBeGreaterThan(0);
    expect(Math.abs(response.at - Date.now())).toBeLessThan(10_000);
  });

  it('reports a failure, and events of a walk', async () => {
    await using server = await startServer((_, response) => response.writeHead(404).end());
    await using client = testClient(server.url);
    const events = eventsOf(client);
    const error = await errorOf(client.mapsReviews(query));
    expect(events.find((one) => one.type === 'failure')).toMatchObject({ id: 1, attempt: 1, error });
    client.mapsReviews.notify!({ type: 'capped', operation: 'mapsReviews', query, limit: 'maxPages', pages: 3, items: 30 });
    expect(events.at(-1)).toMatchObject({ type: 'capped', limit: 'maxPages', at: expect.any(Number) as number });
  });

  it('lets a listener cancel the call it is told about', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('x')));
    for (const type of ['request', 'response'] as const) {
      await using client = testClient(server.url, { concurrency: 1 });
      const stop = new Subject<void>();
      let told = 0;
      const listening = client.events$.subscribe((one) => {
        if (one.type === type && told++ === 0) stop.next();
      });
      client.mapsReviews(query).pipe(takeUntil(stop)).subscribe();
      const next = await outcome(client.mapsReviews({ data_id: 'next' }));
      listening.unsubscribe();
      expect(next.values).toHaveLength(1);
      expect(told).toBeGreaterThan(0);
      expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
    }
  });

  it('continues when a listener throws', async () => {
    await using server = await startServer((_, response) => reply(response, reviews('x')));
    await using client = testClient(server.url);
    const reported: unknown[] = [];
    config.onUnhandledError = (error) => reported.push(error);
    client.events$.subscribe(() => {
      throw new Error('listener');
    });
    expect((await outcome(client.mapsReviews(query))).values).toHaveLength(1);
    await new Promise((turn) => setTimeout(turn, 5));
    config.onUnhandledError = null;
    expect(reported.length).toBeGreaterThan(0);
    expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
  });
});

describe('the key', () => {
  /** All that can be seen of a value, by every way of looking at it. */
  function everythingOf(value: unknown): string {
    const parts = [inspect(value, { depth: 50, showHidden: true, getters: true }), JSON.stringify(value), String(value)];
    for (let error: unknown = value; error instanceof Error; error = error.cause) {
      parts.push(error.stack ?? '', error.message, JSON.stringify(error), inspect(Object.getOwnPropertyDescriptors(error), { depth: 20 }));
    }
    return parts.join('\n');
  }

  it('is in no error and no event, even if the service repeats it', async () => {
    const responses: ((response: ServerResponse) => unknown)[] = [
      (response) => response.writeHead(404).end(`no ${testKey}`),
      (response) => response.writeHead(503).end(`{"code":1,"message":"${testKey}"}`),
      (response) => response.end(`<html>${testKey}</html>`),
      (response) => reply(response, {}, { code: 999, message: testKey }),
      (response) => response.destroy(),
      (response) => response.writeHead(429, { 'retry-after': '1000000' }).end(testKey),
      (response) => response.writeHead(302, { location: `/${testKey}` }).end(),
      (response) => response.end(),
      (response) => reply(response, { reviews_results: 'drift' }),
      (response) => response.writeHead(401).end(testKey),
    ];
    const seen: unknown[] = [];
    const listener = (message: unknown): void => void seen.push(message);
    subscribe('trawler', listener);
    for (const respond of responses) {
      await using server = await startServer((_, response) => respond(response));
      await using client = testClient(server.url, { retry: { baseMs: 1, maxAttempts: 2 }, validate: 'strict' });
      seen.push(
        ...eventsOf(client),
        await errorOf(client.mapsReviews(query)),
        client,
        client.stats(),
        await firstValueFrom(client.health$),
      );
    }
    const mock = new MockAgent();
    mock.disableNetConnect();
    mock
      .get('https://api.example.com')
      .intercept({ path: '/nothing', headers: { 'x-api-key': 'other' } })
      .reply(200, '');
    const client = testClient('https://api.example.com', { dispatcher: mock });
    const refused = (await errorOf(client.mapsReviews(query))) as TrawlerError;
    expect(refused).toMatchObject({ name: 'NetworkError', attempts: 1 });
    const leaky = testClient('https://api.example.com', {
      dispatcher: {
        dispatch(options: { headers: unknown }) {
          throw Object.assign(new Error(`refused ${JSON.stringify(options)}`), { options });
        },
      } as never,
      retry: { baseMs: 1 },
    });
    seen.push(refused, await errorOf(leaky.mapsReviews(query)), leaky);
    await Promise.all([client.close(), leaky.close(), mock.close()]);
    unsubscribe('trawler', listener);
    expect(seen.length).toBeGreaterThan(60);
    for (const one of seen) expect(everythingOf(one)).not.toContain(testKey);
    expect(everythingOf(refused)).toMatch(/NetworkError/);
  });
});
