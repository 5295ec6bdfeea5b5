import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { firstValueFrom, forkJoin, lastValueFrom, mergeMap, range, switchMap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createClient, type Client } from '../../src/createClient.ts';
import { RateLimitError } from '../../src/errors/index.ts';
import type { RetryAfter } from '../../src/sandbox/index.ts';
import type { NamedFault } from '../sandbox/moreFaults/more.ts';
import { reply, startServer } from '../client/startServer.ts';
import { freePort } from '../freePort.ts';
import { ManualClock } from './ManualClock.ts';
import { errorOf, until, withFaults } from './rig.ts';

const query = { query: 'tea' };
const throttled = (retryAfter: RetryAfter, when: object = { nth: 1 }): NamedFault => ({
  fault: 'status',
  status: 429,
  retryAfter,
  ...when,
});

describe('Retry-After: seconds, date, absent, 0, negative, rubbish, 1e9', () => {
  it.each<[string, RetryAfter]>([
    ['seconds', 30],
    ['date', { dateInSeconds: 30 }],
  ])('%s: the whole client pauses that long, never less', async (_, retryAfter) => {
    const clock = new ManualClock();
    // the date is written by the wall clock of the sandbox, and read by that of the client
    await withFaults(
      [throttled(retryAfter)],
      async ({ client, sandbox }) => {
        const page = firstValueFrom(client.autocomplete(query));
        await until(() => client.stats().throttled === 1);
        const { pausedMs } = client.stats();
        expect(pausedMs).toBeGreaterThan(28_999);
        expect(pausedMs).toBeLessThan(45_000);
        const other = firstValueFrom(client.mapsSearch(query));
        clock.advance(28_000);
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(sandbox.count()).toBe(1);
        const passing = setInterval(() => clock.advance(1000), 1);
        await Promise.all([page, other]);
        clearInterval(passing);
        expect(sandbox.count()).toBe(3);
      },
      { client: { clock, timeoutMs: 1e9 }, sandbox: { now: () => clock.wall() } },
    );
  });

  it.each<[string, RetryAfter | undefined]>([
    ['absent', undefined],
    ['0', 0],
    ['negative', '-5'],
    ['rubbish', 'soon'],
    ['a date long past', 'Mon, 01 Jan 2001 00:00:00 GMT'],
  ])('%s: ordinary backoff, no pause', async (_, retryAfter) => {
    await withFaults(
      [{ fault: 'status', status: 429, nth: 1, ...(retryAfter === undefined ? {} : { retryAfter }) }],
      async ({ client, sandbox, of }) => {
        await firstValueFrom(client.autocomplete(query));
        expect(sandbox.count()).toBe(2);
        expect(of('throttle')[0]).toMatchObject({ status: 429, pauseMs: 0 });
      },
      { client: { rate: 'unlimited' } },
    );
  });

  it.each<[string, RetryAfter, number]>([
    ['1e9 seconds', 1_000_000_000, 1e12],
    ['longer than maxRetryAfterMs', 301, 301_000],
  ])('%s: an error with the figure, not a clipped wait', async (_, retryAfter, retryAfterMs) => {
    await withFaults([throttled(retryAfter, {})], async ({ client, sandbox }) => {
      const error = await errorOf(client.autocomplete(query));
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error).toMatchObject({ retryAfterMs, attempts: 1 });
      expect(sandbox.count()).toBe(1);
    });
  });

  it('a service that is away with a Retry-After pauses the client as well', async () => {
    const clock = new ManualClock();
    await withFaults(
      [{ fault: 'status', status: 503, retryAfter: 10, nth: 1 }],
      async ({ client }) => {
        const page = firstValueFrom(client.autocomplete(query));
        await until(() => client.stats().retries === 1);
        expect(client.stats().pausedMs).toBeGreaterThanOrEqual(10_000);
        clock.advance(20_000);
        await page;
      },
      { client: { clock, timeoutMs: 1e9 } },
    );
  });
});

describe('the clock jumps', () => {
  it.each([-86_400_000, 86_400_000])('by %i ms: a pause is as long as it was, for it is monotonic', async (ms) => {
    const clock = new ManualClock();
    await withFaults(
      [throttled({ dateInSeconds: 30 })],
      async ({ client, sandbox }) => {
        const page = firstValueFrom(client.autocomplete(query));
        await until(() => client.stats().throttled === 1);
        const { pausedMs } = client.stats();
        clock.jump(ms);
        expect(client.stats().pausedMs).toBe(pausedMs);
        clock.advance(pausedMs - 1);
        expect(client.stats()).toMatchObject({ pausedMs: 1, requests: 1 });
        clock.advance(10_000);
        await page;
        expect(sandbox.count()).toBe(2);
      },
      { client: { clock, timeoutMs: 1e9, rate: 'unlimited' }, sandbox: { now: () => clock.wall() } },
    );
  });
});

describe('30 responses of 429 at once', () => {
  it('are one decrease, not 30', async () => {
    const clock = new ManualClock();
    const thirty = Array.from({ length: 30 }, (_, index) => index + 32);
    await withFaults(
      [{ fault: 'status', status: 429, nth: thirty }],
      async ({ client, sandbox, of }) => {
        const calls = forkJoin(thirty.map((index) => client.autocomplete({ query: `q${index}` })));
        const all = async (): Promise<void> => {
          const over = lastValueFrom(calls);
          while (client.stats().inFlight + client.stats().waiting > 0) {
            await new Promise((turn) => setImmediate(turn));
            clock.advance(1);
          }
          await over;
        };
        await all();
        clock.advance(1000);
        await firstValueFrom(client.autocomplete({ query: 'one more' }));
        clock.advance(1000); // so long that thirty may be in flight
        const subscription = calls.subscribe({ error: () => {} });
        while (of('throttle').length < 30) {
          await new Promise((turn) => setImmediate(turn));
          if (client.stats().inFlight === 0) clock.advance(1); // the thirty go out one after the other, as the first ones come back
        }
        expect(client.stats()).toMatchObject({ throttled: 30, requests: 61 });
        expect(sandbox.count()).toBe(61);
        expect(new Set(of('throttle').map(({ rate }) => rate)).size).toBe(1);
        subscription.unsubscribe();
        clock.advance(1000);
        await firstValueFrom(client.autocomplete(query));
        expect(client.stats().rate).toBeGreaterThan(10); // thirty decreases would leave next to nothing
      },
      { client: { clock, timeoutMs: 1e9, concurrency: 30, retry: { baseMs: 5000, capMs: 5000 } } },
    );
  });
});

/** A bucket that fills as `clock` passes: whether one more fits into it. */
function bucket(clock: ManualClock, perSecond: number, burst: number): () => boolean {
  let [tokens, filledAt] = [burst, 0];
  return () => {
    tokens = Math.min(burst, tokens + ((clock.now() - filledAt) * perSecond) / 1000);
    filledAt = clock.now();
    return tokens >= 1 && tokens-- >= 1;
  };
}

describe('a rate that is given', () => {
  it('keeps below a limit without a single 429', async () => {
    const clock = new ManualClock();
    const fits = bucket(clock, 220, 20);
    let refused = 0;
    await using server = await startServer((_, response) => {
      if (fits()) return reply(response, { suggestions: [] });
      refused++;
      return response.writeHead(429).end();
    });
    await using client = createClient({ baseUrl: server.url, apiKey: 'k', clock, timeoutMs: 1e9, rate: { requests: 200, perMs: 1000 } });
    await passTime(client, clock, lastValueFrom(forkJoin(Array.from({ length: 60 }, (_, n) => client.autocomplete({ query: `q${n}` })))));
    expect(refused).toBe(0);
    expect(client.stats().requests).toBe(60);
  });
});

/** Lets a client's waits pass until `over`: whenever nothing is in flight, the clock moves on. */
async function passTime(client: Client, clock: ManualClock, over: Promise<unknown>): Promise<void> {
  let done = false;
  void over.finally(() => (done = true));
  while (!done) {
    await new Promise((turn) => setImmediate(turn));
    if (client.stats().inFlight === 0) clock.advance(50);
  }
}

describe('an outage', () => {
  it.each(['auto', 'unlimited'] as const)('costs at most 1.2 requests per request, and ever fewer a second (rate: %s)', async (rate) => {
    const clock = new ManualClock();
    await withFaults(
      [{ fault: 'status', status: 503 }],
      async ({ client, sandbox }) => {
        const calls = 600;
        const all = Promise.all(Array.from({ length: calls }, (_, index) => errorOf(client.autocomplete({ query: `q${index}` }))));
        await passTime(client, clock, all);
        expect(sandbox.count() / calls).toBeLessThanOrEqual(1.2);
        expect(clock.now()).toBeGreaterThan(100_000); // the first tries of the rest are no hail
      },
      { client: { clock, rate, timeoutMs: 1e9, concurrency: 20, retry: { baseMs: 500, capMs: 30_000 } } },
    );
  });
});

describe('a limit that is told without 429', () => {
  // A request on a connection that breaks in use is repeated once at once, so those count twice.
  it.each<[string, number, (response: ServerResponse) => void]>([
    ['by 503, as nginx does', 40, (response) => response.writeHead(503).end()],
    ['by 503 with Retry-After', 40, (response) => response.writeHead(503, { 'retry-after': '1' }).end()],
    ['by connections that are reset', 80, (response) => response.socket!.resetAndDestroy()],
    ['by connections that are closed', 80, (response) => response.socket!.destroy()],
  ])('is paced as by 429, and loses no query: %s', async (_, most, refuse) => {
    const clock = new ManualClock();
    const fits = bucket(clock, 20, 10);
    let [good, refused] = [0, 0];
    await using server = await startServer((_, response) => {
      if (fits()) {
        good++;
        return reply(response, { suggestions: [] });
      }
      refused++;
      return refuse(response);
    });
    await using client = createClient({ baseUrl: server.url, apiKey: 'k', clock, timeoutMs: 1e9 });
    const errors: unknown[] = [];
    const calls = Array.from({ length: 200 }, (_, index) =>
      firstValueFrom(client.autocomplete({ query: `q${index}` })).catch((error: unknown) => void errors.push(error)),
    );
    await passTime(client, clock, Promise.all(calls));
    expect(errors).toEqual([]);
    expect(good).toBe(200);
    expect(refused).toBeLessThan(most);
  });

  it('is paced where new connections are refused, and then the service is found again', async () => {
    const clock = new ManualClock();
    const sockets = new Set<Socket>();
    let [good, turnedAway] = [0, 0];
    let left = 10;
    const server = createServer((_, response) => {
      if (left-- > 0) {
        good++;
        reply(response, { suggestions: [] });
        return;
      }
      // Ten in five seconds. Whoever wants more finds nobody until they are over.
      server.close();
      for (const socket of sockets) socket.destroy();
      clock.after(5000 - (clock.now() % 5000), () => {
        left = 10;
        server.listen(port, '127.0.0.1');
      });
    }).on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await using client = createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey: 'k',
      clock,
      timeoutMs: 1e9,
      retry: { maxAttempts: 8 },
    });
    client.events$.subscribe(({ type }) => void (turnedAway += type === 'retry' ? 1 : 0));
    const errors: unknown[] = [];
    const calls = Array.from({ length: 100 }, (_, index) =>
      firstValueFrom(client.autocomplete({ query: `q${index}` })).catch((error: unknown) => void errors.push(error)),
    );
    await passTime(client, clock, Promise.all(calls));
    server.close();
    expect(errors).toEqual([]);
    expect(good).toBe(100);
    expect(turnedAway).toBeLessThan(100);
  });
});

describe('a Retry-After that is longer than maxRetryAfterMs', () => {
  it('is an error at once for each call that would wait longer, and says until when', async () => {
    const clock = new ManualClock();
    await withFaults(
      [{ fault: 'status', status: 429, retryAfter: 3600, nth: [1, 2, 3, 4] }],
      async ({ client, sandbox }) => {
        const ends = Array.from({ length: 10 }, (_, index) =>
          firstValueFrom(client.autocomplete({ query: `q${index}` })).catch((error: unknown) => error),
        );
        const errors = (await Promise.all(ends)) as RateLimitError[];
        const [error] = errors;
        const refused = errors.slice(1).filter(({ attempts }) => attempts === 0);
        for (const { name, pausedUntil } of errors) {
          expect(name).toBe('RateLimitError');
          expect(pausedUntil).toBeGreaterThanOrEqual(clock.wall() + 3_600_000);
        }
        expect(refused.length).toBeGreaterThanOrEqual(6);
        expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 3_600_000, attempts: 1 });
        expect((error as RateLimitError).pausedUntil).toBe(clock.wall() + 3_600_000);
        expect((error as Error).message).toContain(`sends nothing before ${new Date(clock.wall() + 3_600_000).toISOString()}`);
        const sent = sandbox.count();
        expect(client.stats()).toMatchObject({ requests: sent, failures: 10, inFlight: 0, waiting: 0 });
        clock.advance(3_590_000);
        const page = firstValueFrom(client.autocomplete({ query: 'later' }));
        await until(() => client.stats().waiting === 1);
        expect(sandbox.count()).toBe(sent);
        await passTime(client, clock, page);
        expect(sandbox.count()).toBe(sent + 1);
      },
      { client: { clock, timeoutMs: 1e12, concurrency: 4 } },
    );
  });
});

describe('requests that nobody wants any more', () => {
  it('are never sent when they are cancelled at once', async () => {
    await withFaults([], async ({ client, sandbox }) => {
      const page = await lastValueFrom(range(0, 5000).pipe(switchMap((n) => client.autocomplete({ query: `q${n}` }))));
      expect(page.query).toEqual({ query: 'q4999' });
      expect(sandbox.count()).toBe(1);
      expect(client.stats()).toMatchObject({ requests: 1, inFlight: 0, waiting: 0 });
    });
  });

  it('cost nothing of the budget', async () => {
    await withFaults(
      [],
      async ({ client }) => {
        await lastValueFrom(range(0, 11).pipe(switchMap((n) => client.autocomplete({ query: `q${n}` }))));
        expect(client.stats().budgetLeft).toBe(9);
      },
      { client: { maxRequests: 10 } },
    );
  });
});

describe('a budget that is used up', () => {
  it('delivers what is in flight before the error', async () => {
    await withFaults(
      [],
      async ({ client }) => {
        const pages: unknown[] = [];
        const error = await new Promise((done) =>
          range(0, 100)
            .pipe(mergeMap((n) => client.autocomplete({ query: `q${n}` })))
            .subscribe({ next: (page) => pages.push(page), error: done }),
        );
        expect(error).toMatchObject({ name: 'BudgetError' });
        expect(pages).toHaveLength(20);
      },
      { client: { maxRequests: 20 } },
    );
  });
});

describe('a limit that is told in headers', () => {
  const limited = (lie: boolean) => {
    let [windowAt, used, refused, good] = [0, 0, 0, 0];
    const clock = new ManualClock();
    const listener: RequestListener = (_, response) => {
      if (clock.now() - windowAt >= 10_000) [windowAt, used] = [clock.now(), 0];
      const resetMs = windowAt + 10_000 - clock.now();
      const full = used >= 20;
      if (!full) used++;
      response.setHeader('x-ratelimit-limit', lie ? 1000 : 20);
      response.setHeader('x-ratelimit-remaining', lie ? 1000 : 20 - used);
      response.setHeader('x-ratelimit-reset', Math.ceil(resetMs / 1000));
      if (full) {
        refused++;
        return response.writeHead(429).end();
      }
      good++;
      return reply(response, { suggestions: [] });
    };
    return { clock, listener, counts: () => ({ refused, good }) };
  };
  const crawl = async (url: string, clock: ManualClock): Promise<void> => {
    await using client = createClient({ baseUrl: url, apiKey: 'k', clock, timeoutMs: 1e9 });
    const calls = Array.from({ length: 100 }, (_, n) => firstValueFrom(client.autocomplete({ query: `q${n}` })));
    await passTime(client, clock, Promise.all(calls));
  };

  it('is kept without a single 429', async () => {
    const { clock, listener, counts } = limited(false);
    await using server = await startServer(listener);
    await crawl(server.url, clock);
    expect(counts()).toEqual({ refused: 0, good: 100 });
    expect(clock.now()).toBeLessThan(45_000);
  });

  it("is dropped when the service doesn't follow it", async () => {
    const { clock, listener, counts } = limited(true);
    await using server = await startServer(listener);
    await crawl(server.url, clock);
    expect(counts().good).toBe(100);
  });
});
