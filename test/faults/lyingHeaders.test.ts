import fc from 'fast-check';
import { catchError, lastValueFrom, mergeMap, of, range, toArray } from 'rxjs';
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/testing/VirtualClock.ts';
import { envelope } from '../client/startServer.ts';
import { eventsOf, reviews, testClient } from '../client/testClient.ts';

interface Said {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
}

const runs = process.env['TRAWLER_LONG'] === undefined ? 30 : 2000;
const page = Buffer.from(envelope(reviews('x')));
const queries = 24;
const secondMs = 1000;
const maxMs = 300_000 * 1.1; // maxRetryAfterMs, and what is added so that clients don't all come back at once
const quietMs = 90_000; // no header asks for it: one request a minute, slowed down for a while, and a gap after a refusal

/** Services without a network: each request gets the next of these responses, at once. */
function sayingInTurn(said: readonly Said[]): { readonly dispatcher: Dispatcher; readonly sent: () => number } {
  let sent = 0;
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler): boolean => {
    const { status, headers } = said[sent++ % said.length]!;
    const controller = { abort: () => {} } as unknown as Dispatcher.DispatchController;
    setImmediate(() => {
      handler.onRequestStart?.(controller, {});
      handler.onResponseStart?.(controller, status, headers);
      if (status === 200) handler.onResponseData?.(controller, page);
      handler.onResponseEnd?.(controller, {});
    });
    return true;
  };
  return { dispatcher: { dispatch } as unknown as Dispatcher, sent: () => sent };
}

const wall = Date.UTC(2026, 0, 1);
const seconds = fc.constantFrom(0, 1, 2, 30, 250, 299, 301, 3600, 86_400, 999_999_999);
const reset = fc.oneof(
  seconds.map(String),
  seconds.map((after) => String(wall / secondMs + after)),
  seconds.map((after) => String(wall + after * secondMs)),
  fc.constantFrom('9999999999', '253402300799', '-1', 'soon', '', '1e9', '0.5'),
);
const limit = fc.record({ remaining: fc.constantFrom('0', '0', '1', '7', '-1', 'none'), reset }, { requiredKeys: ['remaining'] });
const headers = fc.oneof(
  fc.constant({}),
  limit.map(({ remaining, reset: at }): Said['headers'] => ({
    'x-ratelimit-remaining': remaining,
    ...(at === undefined ? {} : { 'x-ratelimit-reset': at }),
  })),
  fc.tuple(fc.constantFrom(0, 0, 3), seconds).map(([left, after]) => ({ ratelimit: `"a";r=${left};t=${after}` })),
  fc
    .oneof(seconds.map(String), fc.constantFrom('2.0', '-5', 'soon', new Date(wall + 60_000).toUTCString()))
    .map((value) => ({ 'retry-after': value })),
);
const said = fc.record({ status: fc.constantFrom(200, 200, 200, 429, 403, 503), headers });

/** How a pipe of some queries ends: its outcomes, the time it took, and the longest time in which nothing was sent. */
async function runPipe(responses: readonly Said[], concurrency: number) {
  const clock = new VirtualClock({ wall });
  const { dispatcher, sent } = sayingInTurn(responses);
  await using client = testClient('https://lies.invalid', { clock, dispatcher, rate: 'auto', concurrency });
  const events = eventsOf(client);
  const outcomes = lastValueFrom(
    range(0, queries).pipe(
      mergeMap((n) => client.mapsReviews({ data_id: `q${n}` }).pipe(catchError((error: Error) => of(error)))),
      toArray(),
    ),
  );
  const state = { over: false };
  void outcomes.finally(() => (state.over = true));
  const waits: { readonly fromMs: number; readonly ms: number; readonly pausedUntil: number | undefined }[] = [];
  let idleTurns = 0;
  while (!state.over) {
    for (let turns = 0; turns < 4 && !state.over; turns++) await new Promise((turn) => setImmediate(turn));
    const { inFlight, pausedUntil } = client.stats();
    if (state.over || inFlight > 0) continue;
    const ms = clock.nextMs;
    if (ms === undefined && idleTurns++ > 20) throw new Error('nothing moves any more');
    if (ms === undefined) continue;
    idleTurns = 0;
    waits.push({ fromMs: clock.now(), ms, pausedUntil });
    clock.advance(ms);
  }
  return { outcomes: await outcomes, events, waits, sent: sent(), stats: client.stats() };
}

describe('headers about a limit, true or not', () => {
  it('never stop a pipe in silence: each long wait is told, stands in stats(), and is no longer than maxRetryAfterMs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 30 }), fc.constantFrom(1, 2, 8), async (responses, concurrency) => {
        const { outcomes, events, waits, sent, stats } = await runPipe(responses, concurrency);
        expect(outcomes).toHaveLength(queries);
        expect(stats.requests).toBe(sent);
        for (const { fromMs, ms, pausedUntil } of waits) {
          expect(ms).toBeLessThanOrEqual(maxMs);
          if (ms <= quietMs) continue;
          expect(pausedUntil).toBeGreaterThanOrEqual(wall + fromMs + ms - secondMs);
          const told = events.some(
            (event) =>
              event.type === 'throttle' && event.at + event.pauseMs >= wall + fromMs + ms - 2 * secondMs && event.at <= wall + fromMs,
          );
          expect(told).toBe(true);
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
  }, 600_000);
});
