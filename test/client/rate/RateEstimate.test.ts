import { describe, expect, it } from 'vitest';
import { RateEstimate } from '../../../src/client/rate/RateBelief.ts';

/** Successes at even distances from `from` to `to`. */
function even(estimate: RateEstimate, from: number, to: number, perSecond: number): void {
  const intervalMs = 1000 / perSecond;
  for (let at = from; at < to; at += intervalMs) {
    estimate.succeeded(at);
    estimate.use(intervalMs);
  }
}

describe('RateEstimate', () => {
  it('divides successes by the time they took', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 5000, 20);
    expect(estimate.measure(5000, 0, Infinity).low).toBeCloseTo(20);
  });

  it('counts silence as part of the period', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 1000, 100);
    expect(estimate.measure(1000, 4000, Infinity).low).toBeCloseTo(20);
  });

  it('does not count idle time', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 1000, 20);
    even(estimate, 60_000, 61_000, 20);
    expect(estimate.measure(61_000, 0, Infinity).low).toBeCloseTo(20);
  });

  it('finds the rate of a small bucket at the end of a period in which too little was sent', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 10_000, 5); // a bucket of 4, filled 20 times a second, is full all the time
    even(estimate, 10_000, 14_000, 21); // and empty after these
    const { low } = estimate.measure(14_000, 0, 4);
    expect(low).toBeGreaterThan(19.5);
    expect(low).toBeLessThan(20.5);
  });

  it('gives the recent rate as the high end', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 10_000, 5);
    even(estimate, 10_000, 14_000, 20);
    expect(estimate.measure(14_000, 0, Infinity).high).toBeCloseTo(20, 0);
  });

  it('drops half of its samples instead of growing, with the same result', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 200_000, 5);
    even(estimate, 200_000, 260_000, 100);
    const { low, high } = estimate.measure(260_000, 0, 50);
    expect(low).toBeGreaterThan(97);
    expect(low).toBeLessThanOrEqual(101);
    expect(high).toBeGreaterThan(95);
  });

  it('gives a rate even without any success', () => {
    expect(new RateEstimate().measure(0, 0, Infinity).low).toBeGreaterThan(0);
  });

  it('finds what was saved up in any part of the period, and leaves a standstill of the client out', () => {
    const estimate = new RateEstimate();
    for (const at of [0, 1, 2, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1200]) estimate.succeeded(at);
    expect(estimate.beyond(20, 1010)).toBeCloseTo(9.8); // ten at once; 13 in a second would be none
    expect(estimate.beyond(1000, 1010)).toBe(1);
  });
});
