import { describe, expect, it } from 'vitest';
import { runClient, type Outcome } from '../../../bench/rate/runClient.mjs';
import { fixedWindow, slidingWindow, tokenBucket, type Service } from '../../../bench/rate/services.mjs';
import { LearntPace } from '../../../src/client/rate/LearntPace.ts';

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
  it.each([
    ['1 a second, burst 10', () => tokenBucket(1, 10), 8, 50, 0.02],
    ['5 a second, burst 50', () => tokenBucket(5, 50), 1, 5, 0.01],
    ['5 a second, burst 50, 64 at once', () => tokenBucket(5, 50), 64, 500, 0.02],
    ['50 a second, burst 50', () => tokenBucket(50, 50), 8, 50, 0.005],
    ['50 a second, burst 500', () => tokenBucket(50, 500), 64, 500, 0.005],
    ['300 a minute', () => fixedWindow(300, 60_000, 0.3), 8, 50, 0.015],
    ['300 in any minute', () => slidingWindow(300, 60_000), 8, 50, 0.01],
  ] as const)('uses 96 % of %s, with few 429s', (_name, service, concurrency, latencyMs, most) => {
    const { share, waste } = learn(service, retryAfter, concurrency, latencyMs);
    expect(share).toBeGreaterThan(0.96);
    expect(waste).toBeLessThan(most);
  });

  it.each([
    ['halves and doubles', () => tokenBucket(thirds(5, 2.5, 5), 5), 8, 50],
    ['halves and doubles, 50 a second', () => tokenBucket(thirds(50, 25, 50), 50), 8, 50],
    ['doubles and halves', () => tokenBucket(thirds(5, 10, 5), 5), 8, 5],
    ['falls to a twentieth', () => tokenBucket(thirds(100, 5), 100), 16, 90],
  ] as const)('uses 90 % of a limit that %s, and at most 2 in 100 are refused', (_name, service, concurrency, latencyMs) => {
    const { share, waste } = learn(service, retryAfter, concurrency, latencyMs);
    expect(share).toBeGreaterThan(0.9);
    expect(waste).toBeLessThan(0.02);
  });
});
