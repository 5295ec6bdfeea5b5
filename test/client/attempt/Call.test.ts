import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { firstValueFrom, from, mergeMap, toArray } from 'rxjs';
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import type { ClientEvent } from '../../../src/client/events/clientEvents.ts';
import {
  AuthError,
  BudgetError,
  EnvelopeError,
  HttpError,
  NetworkError,
  PayloadError,
  RateLimitError,
  TimeoutError,
  type TrawlerError,
} from '../../../src/errors/index.ts';
import { VirtualClock } from '../../../src/testing/VirtualClock.ts';
import { passTime } from '../passTime.ts';
import { envelope, param, reply, startServer, startSocketServer } from '../startServer.ts';
import { errorOf, eventsOf, outcome, reviews, testClient, until } from '../testClient.ts';

const query = { data_id: 'a' };

describe('Call', () => {
  it.each([408, 425, 429, 500, 502, 503, 504, 522, 524])('retries after %i', async (status) => {
    let asked = 0;
    await using server = await startServer((_, response) => {
      if (++asked === 5) return reply(response, reviews('at last'));
      response.writeHead(status).end('busy');
    });
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock });
    const { values } = await passTime(client, clock, outcome(client.mapsReviews(query)));
    expect(values[0]?.items).toEqual([{ snippet: 'at last' }]);
    expect(asked).toBe(5);
    expect(clock.now()).toBe((500 + 1000 + 2000 + 4000) / 2);
    expect(clock.timers).toBe(0);
  });

  it('gives up after five attempts, with what happened and how often', async () => {
    let asked = 0;
    await using server = await startServer((_, response) => {
      asked++;
      response.writeHead(503).end(envelope({}, { code: 503, message: 'maintenance\u001b[31m', requestId: 'r-1' }));
    });
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock });
    const error = await passTime(client, clock, errorOf(client.mapsReviews(query)));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ operation: 'mapsReviews', query, status: 503, code: 503, requestId: 'r-1', attempts: 5 });
    expect((error as Error).message).toBe('mapsReviews {"data_id":"a"}: HTTP 503; the service says "maintenance\\u{1b}[31m", 5 times');
    expect(asked).toBe(5);
    expect(client.stats()).toMatchObject({ requests: 5, retries: 4, failures: 1, responses: 0 });
  });

  it('keeps no stack frames in its errors', async () => {
    await using server = await startServer((_, response) => response.writeHead(404).end());
    await using client = testClient(server.url);
    const { stackTraceLimit } = Error;
    const error = (await errorOf(client.mapsReviews(query))) as Error;
    expect(error.stack).not.toContain('\n    at ');
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  });

  it.each([400, 402, 404, 405, 409, 410, 422, 451, 501, 505])("doesn't retry after %i", async (status) => {
    let asked = 0;
    await using server = await startServer((_, response) => {
      asked++;
      response.writeHead(status).end();
    });
    await using client = testClient(server.url);
    const error = await errorOf(client.mapsReviews(query));
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ status, attempts: 1 });
    expect(asked).toBe(1);
  });

  it.each([301, 302, 303, 307, 308])('refuses a redirect (%i) and says so', async (status) => {
    let followed = 0;
    await using other = await startServer((_, response) => {
      followed++;
      reply(response);
    });
    await using server = await startServer((_, response) => response.writeHead(status, { location: other.url }).end());
    await using client = testClient(server.url);
    const error = await errorOf(client.mapsReviews(query));
    expect(error).toMatchObject({ name: 'HttpError', status, message: expect.stringContaining('trawler refuses redirects') as string });
    expect(followed).toBe(0);
  });

  it.each([401, 403])('stops the whole client after %i', async (status) => {
    const asked: (string | null)[] = [];
    await using server = await startServer((request, response) => {
      asked.push(param(request, 'data_id'));
      if (asked.length === 1) response.writeHead(503).end();
      else response.writeHead(status).end();
    });
    await using client = testClient(server.url, { concurrency: 1, retry: { baseMs: 60_000, capMs: 60_000 } });
    const calls = ['waits for its next attempt', 'is refused', 'waits for its turn'].map((data_id) =>
      errorOf(client.mapsReviews({ data_id })),
    );
    const errors = await Promise.all(calls);
    for (const error of errors) expect(error).toBeInstanceOf(AuthError);
    expect(errors).toMatchObject([
      { attempts: 1, cause: { status: 503 } },
      { attempts: 1, status },
      { attempts: 0, status },
    ]);
    expect(await errorOf(client.mapsReviews({ data_id: 'later' }))).toBeInstanceOf(AuthError);
    expect(asked).toHaveLength(2);
    expect(client.stats()).toMatchObject({ waiting: 0, inFlight: 0 });
  });

  it.each([
    ['HTML', '<html></html>'],
    ['half of JSON', '{"code": 200, "da'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no envelope', '{"results": []}'],
    ['a code in words', '{"code": "ok", "data": {}}'],
    ['no data', '{"code": 200, "data": null}'],
    ['a list for data', '{"code": 200, "data": []}'],
  ])('tries a response that cannot be read (%s) twice more', async (_, body) => {
    let asked = 0;
    await using server = await startServer((__, response) => {
      asked++;
      response.end(body);
    });
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock });
    const error = (await passTime(client, clock, errorOf(client.mapsReviews(query)))) as TrawlerError;
    expect(error).toBeInstanceOf(PayloadError);
    expect(error).toMatchObject({ attempts: 3, status: 200 });
    expect(asked).toBe(3);
  });

  it('shows how a response that is not JSON begins, escaped', async () => {
    await using server = await startServer((_, response) => response.end(`<html>\u202eevil\u0007${'x'.repeat(1000)}`));
    await using client = testClient(server.url, { retry: { maxAttempts: 1 } });
    const error = await errorOf(client.mapsReviews(query));
    expect((error as Error).message).toContain(`it begins with "<html>\\u{202e}evil\\u{7}${'x'.repeat(180)}`);
  });

  it.each([
    ['an empty body', 200, 3],
    ['204', 204, 1],
  ])('never takes %s for no results', async (_, status, attempts) => {
    let asked = 0;
    await using server = await startServer((__, response) => {
      asked++;
      response.writeHead(status).end();
    });
    await using client = testClient(server.url, { retry: { baseMs: 1 } });
    expect(await errorOf(client.mapsReviews(query))).toMatchObject({ name: 'PayloadError', attempts });
    expect(asked).toBe(attempts);
  });

  describe('an envelope with another code', () => {
    const ask = async (code: number, codes: { [code: number]: 'busy' | 'final' } = {}): Promise<unknown> => {
      await using server = await startServer((_, response) => reply(response, {}, { code, message: 'odd', requestId: 'r' }));
      const clock = new VirtualClock();
      await using client = testClient(server.url, { clock, retry: { codes } });
      return await passTime(client, clock, errorOf(client.mapsReviews(query)));
    };
    it('is tried twice more when nobody knows it', async () => {
      const error = await ask(1234);
      expect(error).toBeInstanceOf(EnvelopeError);
      expect(error).toMatchObject({ code: 1234, requestId: 'r', attempts: 3, status: 200 });
    });
    it("is tried as often as a busy service when the table says 'busy'", async () =>
      expect(await ask(7, { 7: 'busy' })).toMatchObject({ code: 7, attempts: 5 }));
    it("is final when the table says 'final'", async () => expect(await ask(7, { 7: 'final' })).toMatchObject({ code: 7, attempts: 1 }));
  });

  describe('Retry-After', () => {
    const waits = async (header: string | undefined, status = 429, more: object = {}) => {
      const at: number[] = [];
      const clock = new VirtualClock();
      await using server = await startServer((_, response) => {
        at.push(clock.now());
        if (at.length === 2) return reply(response, reviews('x'));
        const date = new Date(clock.wall()).toUTCString(); // a date is read against the response's own
        response.writeHead(status, header === undefined ? { date } : { date, 'retry-after': header }).end();
      });
      await using client = testClient(server.url, { clock, ...more });
      const events = eventsOf(client);
      const result = await passTime(client, clock, outcome(client.mapsReviews(query)));
      return { waitedMs: at[1], error: result.error, events };
    };
    it.each([429, 503])('is honoured in full after %i, later rather than earlier', async (status) => {
      for (const [header, ms] of [
        ['7', 7000],
        ['Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
      ] as const) {
        const { waitedMs } = await waits(header, status);
        expect(waitedMs).toBeGreaterThanOrEqual(ms);
        expect(waitedMs).toBeLessThanOrEqual(ms + 1000);
      }
    });
    it.each(['0', '-5', 'soon', '1e9', '', undefined])('%j means ordinary backoff', async (header) => {
      expect((await waits(header)).waitedMs).toBe(250);
    });
    it.each([
      [429, RateLimitError],
      [503, HttpError],
    ])('longer than the limit is an error with the figure (%i)', async (status, error) => {
      const result = await waits('1000000000', status);
      expect(result.error).toBeInstanceOf(error);
      expect(result.error).toMatchObject({ attempts: 1, status, retryAfterMs: 1e12 });
    });
    it('pauses the whole client', async () => {
      const at: [string | null, number][] = [];
      const clock = new VirtualClock();
      await using server = await startServer((request, response) => {
        at.push([param(request, 'data_id'), clock.now()]);
        if (at.length === 1) response.writeHead(429, { 'retry-after': '60' }).end();
        else reply(response, reviews('x'));
      });
      await using client = testClient(server.url, { clock });
      const first = outcome(client.mapsReviews({ data_id: 'first' }));
      await until(() => client.stats().pausedMs > 0);
      expect(client.stats()).toMatchObject({ throttled: 1, inFlight: 0, waiting: 1 });
      const second = outcome(client.mapsReviews({ data_id: 'second' }));
      await passTime(client, clock, Promise.all([first, second]));
      expect(at.map(([id]) => id)).toEqual(['first', 'first', 'second']);
      expect(at[1]![1]).toBeGreaterThanOrEqual(60_000);
      expect(at[2]![1]).toBeGreaterThanOrEqual(60_000);
    });
    it('is told as throttle, with the pause', async () => {
      const { events } = await waits('7');
      expect(events.filter((event) => event.type === 'throttle')).toMatchObject([{ status: 429, pauseMs: 7350, rate: undefined }]);
      expect(events.filter((event) => event.type === 'retry')).toMatchObject([{ delayMs: 7350, attempt: 1 }]);
    });
  });

  it("reports each 429 to the pace with its request's start, and thirty at once are one decrease", async () => {
    const throttled: [number, number][] = [];
    let left = 30;
    let held: (() => void)[] = [];
    await using server = await startServer((_, response) => {
      if (left-- <= 0) return reply(response, reviews('x'));
      held.push(() => response.writeHead(429).end());
      if (held.length === 30) for (const response of held) response();
    });
    const clock = new VirtualClock();
    let decreased = -1;
    const pace = {
      rate: undefined,
      waitMs: () => 0,
      started() {},
      succeeded() {},
      throttled(now: number, { startedAt }: { readonly startedAt: number }) {
        throttled.push([now, startedAt]);
        if (startedAt > decreased) decreased = now;
      },
    };
    await using client = testClient(server.url, { clock, concurrency: 30, rate: pace });
    clock.advance(100);
    const ids = Array.from({ length: 30 }, (_, n) => `${n}`);
    const pages = from(ids).pipe(
      mergeMap((data_id) => client.mapsReviews({ data_id })),
      toArray(),
    );
    await passTime(client, clock, firstValueFrom(pages));
    expect(throttled).toEqual(Array.from({ length: 30 }, () => [100, 100]));
    expect(client.stats()).toMatchObject({ throttled: 30, responses: 30, requests: 60 });
  });

  it('sends at most 1.2 requests per call while everything fails', async () => {
    await using server = await startServer((_, response) => response.writeHead(503).end());
    const clock = new VirtualClock({ random: () => 0 });
    await using client = testClient(server.url, { clock, concurrency: 50, retry: { outageMs: Infinity } });
    const errors = await passTime(
      client,
      clock,
      Promise.all(Array.from({ length: 1000 }, (_, n) => errorOf(client.mapsReviews({ data_id: `${n}` })))),
    );
    expect(client.stats().requests).toBeLessThanOrEqual(1200);
    expect(errors.at(-1)).toMatchObject({ message: expect.stringContaining('not retried, because too many') as string });
  });

  it('gives up when all its time is used up', async () => {
    await using server = await startServer((_, response) => response.writeHead(503).end());
    const clock = new VirtualClock({ random: () => 0.99 });
    await using client = testClient(server.url, { clock, retry: { totalMs: 1000 } });
    const error = await passTime(client, clock, errorOf(client.mapsReviews(query)));
    expect(error).toMatchObject({ attempts: 2, message: expect.stringContaining('retry.totalMs (1000 ms) is used up') as string });
  });

  it('counts retries in its budget', async () => {
    await using server = await startServer((_, response) => response.writeHead(503).end());
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock, maxRequests: 2 });
    const events = eventsOf(client);
    const error = await passTime(client, clock, errorOf(client.mapsReviews(query)));
    expect(error).toBeInstanceOf(BudgetError);
    expect(error).toMatchObject({ attempts: 2, cause: { status: 503 } });
    expect(await errorOf(client.mapsReviews(query))).toMatchObject({ name: 'BudgetError', attempts: 0 });
    expect(client.stats()).toMatchObject({ requests: 2, budgetLeft: 0 });
    expect(events.filter((event) => event.type === 'budget')).toMatchObject([{ maxRequests: 2, operation: 'mapsReviews' }]);
  });

  it('sends the next requests before it reads the responses that are here', async () => {
    const log: string[] = [];
    const inFlight: Dispatcher.DispatchHandler[] = [];
    const dispatcher = { dispatch: (_: object, handler: Dispatcher.DispatchHandler) => log.push('request') && inFlight.push(handler) };
    await using client = testClient('https://api.example.com', { dispatcher: dispatcher as never, concurrency: 2 });
    from(['a', 'b', 'c', 'd'])
      .pipe(mergeMap((id) => client.mapsReviews({ data_id: id })))
      .subscribe({ next: () => log.push('page'), error: () => {} });
    await until(() => inFlight.length === 2);
    for (const handler of inFlight.splice(0)) {
      handler.onResponseStart?.({} as never, 200, {}, 'OK');
      handler.onResponseData?.({} as never, Buffer.from(envelope(reviews('good'))));
      handler.onResponseEnd?.({} as never, {});
    }
    await until(() => log.filter((what) => what === 'page').length === 2);
    expect(log).toEqual(['request', 'request', 'request', 'request', 'page', 'page']);
  });

  it('frees its place while it waits for its next attempt', async () => {
    await using server = await startServer((request, response) => {
      if (param(request, 'data_id') === 'busy') response.writeHead(503).end();
      else reply(response, reviews('x'));
    });
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock, concurrency: 1 });
    const busy = client.mapsReviews({ data_id: 'busy' }).subscribe({ error: () => {} });
    await until(() => client.stats().retries === 1);
    expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
    expect((await outcome(client.mapsReviews({ data_id: 'fine' }))).values).toHaveLength(1);
    expect(clock.timers).toBe(1);
    busy.unsubscribe();
    expect(clock.timers).toBe(0);
  });

  it('ends a trickling attempt at its deadline, and retries', async () => {
    const clock = new VirtualClock();
    let asked = 0;
    await using server = await startServer((_, response) => {
      if (++asked === 2) return reply(response, reviews('x'));
      response.write('{"code":');
      const trickle = setInterval(() => response.write(' '), 1);
      response.on('close', () => clearInterval(trickle));
    });
    await using client = testClient(server.url, { clock, timeoutMs: 1000 });
    const events: ClientEvent[] = eventsOf(client);
    const result = outcome(client.mapsReviews(query));
    await until(() => asked === 1);
    clock.advance(1000);
    expect(client.stats()).toMatchObject({ inFlight: 0, retries: 1 });
    const { values } = await passTime(client, clock, result);
    expect(values).toHaveLength(1);
    const retry = events.find((event) => event.type === 'retry');
    expect(retry).toMatchObject({ error: { name: 'TimeoutError' } });
    expect(retry?.type === 'retry' && retry.error).toBeInstanceOf(TimeoutError);
  });

  it.each([
    ['is refused', undefined],
    ['is reset', (socket: Socket) => socket.resetAndDestroy()],
    ['closes without a word', (socket: Socket) => socket.once('data', () => socket.destroy())],
    ['closes in the middle of the headers', (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncont'))],
    [
      'closes in the middle of the body',
      (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"co')),
    ],
  ])('tries a connection that %s five times', async (_, listener) => {
    const server = await startSocketServer(listener ?? (() => {}));
    if (listener === undefined) await server[Symbol.asyncDispose]();
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock });
    const error = (await passTime(client, clock, errorOf(client.mapsReviews(query)))) as TrawlerError;
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.attempts).toBe(5);
    if (listener !== undefined) await server[Symbol.asyncDispose]();
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9\r\n'],
    ['a header of 20 kB', `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['two content lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ])('tries %s once more', async (_, bytes) => {
    await using server = await startSocketServer((socket) => socket.once('data', () => socket.end(bytes)));
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock });
    expect(await passTime(client, clock, errorOf(client.mapsReviews(query)))).toMatchObject({ name: 'NetworkError', attempts: 2 });
  });

  it('retries an unknown host name, and never a TLS failure', async () => {
    const clock = new VirtualClock();
    await using nowhere = testClient('https://no-such-host.invalid', { clock });
    expect(await passTime(nowhere, clock, errorOf(nowhere.mapsReviews(query)))).toMatchObject({ name: 'NetworkError', attempts: 5 });
    await using server = await startServer((_, response) => reply(response));
    await using client = testClient(server.url.replace('http:', 'https:'), { clock });
    expect(await passTime(client, clock, errorOf(client.mapsReviews(query)))).toMatchObject({ name: 'NetworkError', attempts: 1 });
  });

  it('repeats a request at once if the server had just closed its idle connection', async () => {
    let asked = 0;
    await using server = await startSocketServer((socket) => {
      let requests = 0;
      socket.on('data', () => {
        asked++;
        const body = envelope(reviews('x'));
        if (++requests === 2) socket.resetAndDestroy();
        else socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    });
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock, concurrency: 1 });
    await outcome(client.mapsReviews({ data_id: '1' }));
    await new Promise((turn) => setTimeout(turn, 20)); // the connection is free again a turn later
    const second = await outcome(client.mapsReviews({ data_id: '2' }));
    expect(second.values).toHaveLength(1);
    expect(asked).toBe(3);
    expect(clock.now()).toBe(0);
    expect(client.stats()).toMatchObject({ requests: 3, retries: 1 });
  });

  it('treats a truncated gzip body as a broken connection', async () => {
    let asked = 0;
    await using server = await startServer((_, response) => {
      const body = gzipSync(envelope(reviews('x'.repeat(1000))));
      response.setHeader('content-encoding', 'gzip');
      response.end(++asked === 1 ? body.subarray(0, body.length - 20) : body);
    });
    const clock = new VirtualClock();
    await using client = testClient(server.url, { clock });
    expect((await passTime(client, clock, outcome(client.mapsReviews(query)))).values).toHaveLength(1);
    expect(asked).toBe(2);
  });

  it.each(['length', 'chunked', 'compressed'])('stops at the cap with a body that is too large (%s)', async (kind) => {
    let asked = 0;
    await using server = await startServer((_, response) => {
      asked++;
      const body = envelope({ fill: 'x'.repeat(100_000) });
      if (kind === 'compressed') response.setHeader('content-encoding', 'gzip').end(gzipSync(body));
      else if (kind === 'length') response.setHeader('content-length', body.length).end(body);
      else {
        response.write(body.slice(0, 50_000));
        response.end(body.slice(50_000));
      }
    });
    await using client = testClient(server.url, { maxBodyBytes: 60_000 });
    const error = await errorOf(client.mapsReviews(query));
    expect(error).toBeInstanceOf(PayloadError);
    expect(error).toMatchObject({ attempts: 1, message: expect.stringContaining('maxBodyBytes') as string });
    expect(asked).toBe(1);
    expect(client.stats().inFlight).toBe(0);
  });

  it('survives an error body without end', async () => {
    let closed = false;
    await using server = await startServer((request, response) => {
      request.socket.on('close', () => (closed = true));
      response.writeHead(404);
      const more = (): void => void (closed || response.write('x'.repeat(10_000), () => setImmediate(more)));
      more();
    });
    await using client = testClient(server.url);
    expect(await errorOf(client.mapsReviews(query))).toMatchObject({ name: 'HttpError', status: 404 });
    await until(() => closed, 'closing the socket');
  });
});
