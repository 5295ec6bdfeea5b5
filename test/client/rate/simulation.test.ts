import { describe, expect, it } from 'vitest';
import { runClient, type Outcome } from '../../../bench/rate/runClient.mjs';
import {
  delayingBucket,
  fixedWindow,
  inFlightLimit,
  leakyNginx,
  slidingWindow,
  tokenBucket,
  type Service,
} from '../../../bench/rate/services.mjs';
import { LearntPace } from '../../../src/client/rate/LearntPace.ts';
import { ofTheDay } from '../../ofTheDay.ts';

const untilMs = 30 * 60_000;
const thirds = (...rates: number[]) => rates.map((rate, i) => [(i * untilMs) / rates.length, rate] as const);

/** Half an hour each, over three seeds: their mean. */
function learn(service: () => Service, retryAfter: boolean, concurrency: number, latencyMs: number): Pick<Outcome, 'share' | 'waste'> {
  const outcomes = [1, 2, 3].map((seed) =>
    runClient({ service: service(), pace: new LearntPace(), retryAfter, concurrency, latencyMs, untilMs, seed }),
  );
  const mean = (key: 'share' | 'waste') => outcomes.reduce((sum, outcome) => sum + outcome[key], 0) / outcomes.length;
  return { share: mean('share'), waste: mean('waste') };
}

describe.each([true, false])('LearntPace in half an hour of virtual time, Retry-After: %s', (retryAfter) => {
  // Most of them every day, with Retry-After or without.
  const steady = [
    ['1 a second, burst 10', () => tokenBucket(1, 10), 8, 50, 0.96, 0.02],
    ['5 a second, burst 50', () => tokenBucket(5, 50), 1, 5, 0.96, 0.01],
    ['5 a second, burst 50, 64 at once', () => tokenBucket(5, 50), 64, 500, 0.96, 0.02],
    ['50 a second, burst 50', () => tokenBucket(50, 50), 8, 50, 0.96, 0.005],
    ['50 a second, burst 500', () => tokenBucket(50, 500), 64, 500, 0.96, 0.005],
    ['300 a minute', () => fixedWindow(300, 60_000, 0.3), 8, 50, 0.96, 0.015],
    ['300 in any minute', () => slidingWindow(300, 60_000), 8, 50, 0.91, 0.01],
  ] as const;
  it.each(ofTheDay<(typeof steady)[number]>(steady, 1, Number(retryAfter)))(
    'uses what %s allows, with few 429s',
    (_name, service, concurrency, latencyMs, least, most) => {
      const { share, waste } = learn(service, retryAfter, concurrency, latencyMs);
      expect(share).toBeGreaterThan(least);
      expect(waste).toBeLessThan(most);
    },
  );

  const changing = [
    ['halves and doubles', () => tokenBucket(thirds(5, 2.5, 5), 5), 8, 50],
    ['halves and doubles, 50 a second', () => tokenBucket(thirds(50, 25, 50), 50), 8, 50],
    ['doubles and halves', () => tokenBucket(thirds(5, 10, 5), 5), 8, 5],
    ['falls to a twentieth', () => tokenBucket(thirds(100, 5), 100), 16, 90],
  ] as const;
  it.each(ofTheDay<(typeof changing)[number]>(changing, 1, Number(retryAfter)))(
    'uses 90 % of a limit that %s, and at most 2 in 100 are refused',
    (_name, service, concurrency, latencyMs) => {
      const { share, waste } = learn(service, retryAfter, concurrency, latencyMs);
      expect(share).toBeGreaterThan(0.9);
      expect(waste).toBeLessThan(0.02);
    },
  );
});

/** The first minute, over six seeds; the refusals of the first burst don't count. */
function firstMinute(service: () => Service, retryAfter: boolean, concurrency: number, latencyMs: number, forMs = 60_000) {
  const outcomes = [1, 2, 3, 4, 5, 6].map((seed) =>
    runClient({ service: service(), pace: new LearntPace(), retryAfter, concurrency, latencyMs, untilMs: forMs, seed }),
  );
  const mean = (of: (outcome: Outcome) => number) => outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / outcomes.length;
  return { share: mean(({ share }) => share), waste: mean(({ throttled, firstBurst, requests }) => (throttled - firstBurst) / requests) };
}

describe('LearntPace in its first minute', () => {
  it('takes no higher rate for possible while only the requests in flight are held', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const pace = new LearntPace();
      const setup = { retryAfter: false, concurrency: 8, latencyMs: 1200, connectMs: 50, untilMs: 60_000, seed };
      runClient({ ...setup, service: tokenBucket(6, 6), pace });
      expect(pace.rate ?? 6).toBeLessThan(9);
    }
  });

  it.each([
    ['4 in flight', 4, 100, false, 0.88],
    ['8 in flight', 8, 50, false, 0.88],
    ['8 in flight, with Retry-After', 8, 50, true, 0.76],
    ['11 in flight, with Retry-After', 11, 80, true, 0.84],
  ] as const)('learns %s although connections open in any order', (_name, most, takesMs, retryAfter, least) => {
    const shares = [1, 2, 3, 4, 5, 6].map((seed) => {
      const setup = { retryAfter, concurrency: 16, latencyMs: 2, connectMs: 400, untilMs: 60_000, seed };
      return runClient({ ...setup, service: inFlightLimit(most, takesMs), pace: new LearntPace() }).share;
    });
    expect(shares.reduce((sum, share) => sum + share) / shares.length).toBeGreaterThan(least);
  });

  const allowed = [
    ['5 a second, burst 5', () => tokenBucket(5, 5), 8, 30, 0.97, 0.03],
    ['20 a second, burst 5', () => tokenBucket(20, 5), 32, 20, 0.97, 0.007],
    ['20 a second, burst 20', () => tokenBucket(20, 20), 32, 20, 0.97, 0.011],
    ['20 a second, burst 100', () => tokenBucket(20, 100), 16, 20, 0.97, 0.01],
    ['50 a second, burst 50', () => tokenBucket(50, 50), 16, 20, 0.97, 0.007],
    ['100 a second, burst 50', () => tokenBucket(100, 50), 32, 20, 0.97, 0.007],
    ['100 a second, burst 100', () => tokenBucket(100, 100), 32, 50, 0.97, 0.007],
    ['500 a second, burst 50', () => tokenBucket(500, 50), 32, 20, 0.96, 0.007],
    ['500 a second, burst 500', () => tokenBucket(500, 500), 32, 20, 0.97, 0.007],
    ['20 in each second', () => fixedWindow(20, 1000, 0.3), 32, 20, 0.97, 0.007],
    ['200 in each second', () => fixedWindow(200, 1000, 0.3), 32, 20, 0.97, 0.007],
    ['100 in 5 s', () => fixedWindow(100, 5000), 32, 20, 0.97, 0.01],
    ['20 in any second', () => slidingWindow(20, 1000), 32, 20, 0.97, 0.007],
    ['100 in any 2 s', () => slidingWindow(100, 2000), 16, 14, 0.97, 0.007],
    ['100 in any 5 s', () => slidingWindow(100, 5000), 32, 20, 0.97, 0.01],
    ['4 in flight, 100 ms each', () => inFlightLimit(4, 100), 8, 2, 0.97, 0.007],
    ['20 in flight, 50 ms each', () => inFlightLimit(20, 50), 32, 2, 0.93, 0.007],
    ['4 in flight of 16, 100 ms each', () => inFlightLimit(4, 100), 16, 1, 0.97, 0.007],
    ['20 a second, 10 may wait', () => delayingBucket(20, 10), 32, 5, 0.97, 0.007],
    ['nginx, 50 a second, burst 20', () => leakyNginx(50, 20), 16, 1, 0.97, 0.007],
    ['nginx, 20 a second, 4 may wait', () => leakyNginx(20, 4, true), 16, 1, 0.97, 0.007],
  ] as const;
  it.each(ofTheDay<(typeof allowed)[number]>(allowed, 2))('uses what %s allows', (_name, service, concurrency, latencyMs, least, most) => {
    const { share, waste } = firstMinute(service, false, concurrency, latencyMs);
    expect(share).toBeGreaterThan(least);
    expect(waste).toBeLessThan(most);
  });

  it.each([
    ['10 a second, burst 10', () => tokenBucket(10, 10), 8, 5, 0.016],
    ['10 a second, burst 10, 50 at once', () => tokenBucket(10, 10), 50, 5, 0.016],
    ['10 a second, burst 10, slow', () => tokenBucket(10, 10), 16, 500, 0.045],
    ['20 a second, burst 20', () => tokenBucket(20, 20), 32, 20, 0.016],
    ['20 in any second', () => slidingWindow(20, 1000), 32, 20, 0.012],
    ['20 in each second', () => fixedWindow(20, 1000, 0.3), 32, 20, 0.012],
  ] as const)('is refused little of what it sends to %s, the first burst included', (_name, service, concurrency, latencyMs, most) => {
    const refused = [1, 2, 3, 4, 5, 6].map((seed) => {
      const setup = { service: service(), retryAfter: false, concurrency, latencyMs, untilMs: 60_000, seed };
      const { throttled, requests } = runClient({ ...setup, pace: new LearntPace() });
      return throttled / requests;
    });
    expect(refused.reduce((sum, one) => sum + one) / refused.length).toBeLessThan(most);
  });

  // Each refusal is a pause of a second here, of which a service makes up for what it can save.
  const paused = [
    ['5 a second, burst 5', () => tokenBucket(5, 5), 8, 30, 0.94, 0.02],
    ['20 a second, burst 5', () => tokenBucket(20, 5), 32, 20, 0.9, 0.007],
    ['20 a second, burst 20', () => tokenBucket(20, 20), 32, 20, 0.97, 0.007],
    ['50 a second, burst 50', () => tokenBucket(50, 50), 16, 20, 0.97, 0.007],
    ['100 a second, burst 50', () => tokenBucket(100, 50), 32, 20, 0.94, 0.007],
    ['500 a second, burst 50', () => tokenBucket(500, 50), 32, 20, 0.84, 0.007],
    ['100 a second, burst 100', () => tokenBucket(100, 100), 32, 50, 0.97, 0.007],
    ['500 a second, burst 500', () => tokenBucket(500, 500), 32, 20, 0.97, 0.007],
    ['20 in each second', () => fixedWindow(20, 1000, 0.3), 32, 20, 0.96, 0.007],
    ['60 in 2 s, of which the first window has the rest', () => fixedWindow(60, 2000, 0.7), 16, 30, 0.89, 0.007],
    ['100 in 5 s', () => fixedWindow(100, 5000), 32, 20, 0.93, 0.007],
    ['20 in any second', () => slidingWindow(20, 1000), 32, 20, 0.96, 0.007],
    ['100 in any 5 s', () => slidingWindow(100, 5000), 32, 20, 0.96, 0.007],
    ['50 in 10 s', () => fixedWindow(50, 10_000, 0.4), 16, 20, 0.95, 0.01],
    ['4 in flight, 100 ms each', () => inFlightLimit(4, 100), 8, 2, 0.94, 0.007],
    ['4 in flight of 16, 100 ms each', () => inFlightLimit(4, 100), 16, 1, 0.95, 0.007],
    ['11 in flight of 24, 80 ms each', () => inFlightLimit(11, 80), 24, 5, 0.87, 0.007],
    ['20 a second, 10 may wait', () => delayingBucket(20, 10), 32, 5, 0.93, 0.007],
  ] as const;
  it.each(ofTheDay<(typeof paused)[number]>(paused, 2))(
    'uses what %s allows, where Retry-After asks for a pause',
    (_name, service, concurrency, latencyMs, least, most) => {
      const { share, waste } = firstMinute(service, true, concurrency, latencyMs);
      expect(share).toBeGreaterThan(least);
      expect(waste).toBeLessThan(most);
    },
  );

  /** What got through between two times, as a share of a rate. */
  function after(change: readonly (readonly [number, number])[], retryAfter: boolean, from: number, to: number, perSecond: number): number {
    let got = 0;
    const pace = new LearntPace();
    const counting = {
      waitMs: (now: number, inFlight: number) => pace.waitMs(now, inFlight),
      started: (now: number) => pace.started(now),
      throttled: (...told: Parameters<LearntPace['throttled']>) => pace.throttled(...told),
      succeeded: (now: number, trip: { readonly startedAt: number; readonly inFlight: number }) => {
        if (now >= from && now < to) got++;
        pace.succeeded(now, trip);
      },
    };
    const service = tokenBucket(change, change[0]![1]);
    runClient({ service, pace: counting, retryAfter, concurrency: 32, latencyMs: 20, untilMs: to, seed: 3 });
    return got / ((perSecond * (to - from)) / 1000);
  }

  it.each([true, false])('follows a limit that falls to a third within five seconds (Retry-After: %s)', (retryAfter) => {
    const change = [[0, 30] as const, [40_000, 10] as const];
    const share = after(change, retryAfter, 45_000, 55_000, 10);
    expect(share).toBeGreaterThan(0.9);
    expect(share).toBeLessThan(1.15);
  });

  it.each([true, false])('follows a limit that doubles within thirty seconds (Retry-After: %s)', (retryAfter) => {
    for (const perSecond of [20, 50]) {
      const change = [[0, perSecond] as const, [40_000, 2 * perSecond] as const];
      expect(after(change, retryAfter, 70_000, 80_000, 2 * perSecond)).toBeGreaterThan(0.9);
    }
  });
});
