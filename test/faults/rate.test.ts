import { firstValueFrom, forkJoin, lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { RateLimitError } from '../../src/errors/index.ts';
import type { Fault, RetryAfter } from '../../src/sandbox/index.ts';
import { ManualClock } from './ManualClock.ts';
import { errorOf, until, withFaults } from './rig.ts';

const query = { query: 'tea' };
const throttled = (retryAfter: RetryAfter, when: object = { nth: 1 }): Fault => ({ fault: 'status', status: 429, retryAfter, ...when });

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
    const thirty = Array.from({ length: 30 }, (_, index) => index + 31);
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
        const subscription = calls.subscribe({ error: () => {} });
        while (of('throttle').length < 30) {
          await new Promise((turn) => setImmediate(turn));
          if (client.stats().waiting > 0) clock.advance(1); // the thirty go out one after the other, as the first ones come back
        }
        expect(client.stats()).toMatchObject({ throttled: 30, requests: 60 });
        expect(sandbox.count()).toBe(60);
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

describe('a limit that is told', () => {
  it('is kept without a single 429', async () => {
    await withFaults(
      [],
      async ({ client, sandbox }) => {
        const calls = forkJoin(Array.from({ length: 60 }, (_, index) => client.autocomplete({ query: `q${index}` })));
        await lastValueFrom(calls);
        expect(sandbox.requests.filter(({ status }) => status === 429)).toEqual([]);
        expect(sandbox.count()).toBe(60);
      },
      { client: { rate: { requests: 200, perMs: 1000 } }, sandbox: { rateLimit: { kind: 'bucket', perSecond: 220, burst: 20 } } },
    );
  });
});

describe('an outage', () => {
  it('costs at most 1.2 requests per request', async () => {
    await withFaults(
      [{ fault: 'status', status: 503 }],
      async ({ client, sandbox }) => {
        const calls = 2000;
        for (let first = 0; first < calls; first += 100) {
          await Promise.all(Array.from({ length: 100 }, (_, index) => errorOf(client.autocomplete({ query: `q${first + index}` }))));
        }
        expect(sandbox.count() / calls).toBeLessThanOrEqual(1.2);
      },
      { client: { retry: { baseMs: 0 }, concurrency: 20 } },
    );
  });
});
