import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runClient } from '../../../bench/rate/runClient.mjs';
import { fixedWindow, slidingWindow, tokenBucket } from '../../../bench/rate/services.mjs';
import { FixedPace } from '../../../src/client/rate/Pace.ts';

/** Starts as soon as the pace allows, each as late as `lateness` says. */
function starts(pace: FixedPace, lateness: readonly number[]): number[] {
  let now = 0;
  return lateness.map((late) => {
    now += pace.waitMs(now) + late;
    pace.started(now);
    return now;
  });
}

describe('FixedPace', () => {
  it('never starts more than the limit in any window, however late the timers fire', () => {
    const lateness = fc.array(
      fc.oneof(fc.constant(0), fc.double({ min: 0, max: 2, noNaN: true }), fc.double({ min: 0, max: 400, noNaN: true })),
      {
        minLength: 60,
        maxLength: 200,
      },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.constantFrom(100, 1000, 60_000), lateness, (requests, perMs, late) => {
        const times = starts(new FixedPace({ requests, perMs }), late);
        for (let i = requests; i < times.length; i++) expect(times[i]! - times[i - requests]!).toBeGreaterThanOrEqual(perMs - 1e-6);
      }),
      { seed: 1 },
    );
  });

  it('keeps its schedule when every timer is a little late', () => {
    const times = starts(new FixedPace({ requests: 50, perMs: 1000 }), Array<number>(3001).fill(1));
    expect(3000 / (times.at(-1)! / 1000)).toBeGreaterThan(49.5);
  });

  it('starts nothing early once it was refused, where late timers cost little', () => {
    const lateness = Array.from({ length: 400 }, (_, nth) => (nth % 7 === 0 ? 9 : 1));
    const gaps = (pace: FixedPace): number[] => {
      const times = starts(pace, lateness);
      return times.slice(1).map((at, nth) => at - times[nth]!);
    };
    const [strict, tolerant] = [new FixedPace({ requests: 10, perMs: 1000 }), new FixedPace({ requests: 10, perMs: 1000 })];
    strict.throttled();
    expect(Math.min(...gaps(strict))).toBeGreaterThan(100);
    expect(Math.max(...gaps(strict))).toBeLessThan(111);
    expect(Math.min(...gaps(tolerant))).toBeLessThan(95);
  });

  it('saves nothing up while idle', () => {
    const pace = new FixedPace({ requests: 10, perMs: 1000 });
    pace.started(0);
    pace.started(60_000);
    expect(pace.waitMs(60_000)).toBeGreaterThan(90);
  });

  it.each([
    ['a bucket', () => tokenBucket(20, 20), 20, 1000, 50],
    ['a big bucket', () => tokenBucket(500, 500), 500, 1000, 50],
    ['a window', () => fixedWindow(300, 60_000, 0.4), 300, 60_000, 50],
    ['a sliding window', () => slidingWindow(100, 5000), 100, 5000, 50],
  ] as const)('reaches 99 % of %s and is never refused', (_name, service, requests, perMs, latencyMs) => {
    const pace = new FixedPace({ requests, perMs });
    const untilMs = 600_000;
    const outcome = runClient({ service: service(), pace, retryAfter: true, concurrency: 64, latencyMs, untilMs, seed: 3 });
    expect(outcome.throttled).toBe(0);
    expect(outcome.answered).toBeGreaterThan((0.99 * requests * untilMs) / perMs);
  });

  it('leaves more to a service that refuses what arrives unevenly', () => {
    const [pace, untilMs] = [new FixedPace({ requests: 10, perMs: 1000 }), 120_000];
    const setup = { service: slidingWindow(10, 1000), pace, retryAfter: false, concurrency: 8, latencyMs: 80, untilMs, seed: 3 };
    const { answered, throttled } = runClient(setup);
    expect(throttled).toBeLessThan(0.01 * (answered + throttled));
    expect(answered).toBeGreaterThan(0.96 * (untilMs / 100));
    for (let n = 0; n < 100; n++) pace.throttled();
    const times = starts(pace, Array<number>(1001).fill(0));
    expect(times.at(-1)! - times[0]!).toBeLessThan(103_001);
  });

  it('says its rate in requests a second', () => {
    expect(new FixedPace({ requests: 300, perMs: 60_000 }).rate).toBe(5);
  });

  it.each([0, -1, NaN, Infinity])('refuses %s', (bad) => {
    expect(() => new FixedPace({ requests: bad, perMs: 1000 })).toThrow(new RangeError(`FixedPace: requests must be above 0, not ${bad}`));
    expect(() => new FixedPace({ requests: 1, perMs: bad })).toThrow(new RangeError(`FixedPace: perMs must be above 0, not ${bad}`));
  });
});
