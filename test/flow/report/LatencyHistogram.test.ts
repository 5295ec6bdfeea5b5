import { describe, expect, it } from 'vitest';
import { LatencyHistogram } from '../../../src/flow/report/RunRecorder.ts';

describe('LatencyHistogram', () => {
  it('gives quantiles that are at most 1 % above the true ones', () => {
    const histogram = new LatencyHistogram();
    for (let ms = 1; ms <= 1000; ms += 1) histogram.add(ms);
    const { count, p50, p90, p99, maxMs } = histogram.summary();
    expect([count, maxMs]).toEqual([1000, 1000]);
    for (const [found, right] of [
      [p50, 500],
      [p90, 900],
      [p99, 990],
    ] as const) {
      expect(found).toBeGreaterThanOrEqual(right);
      expect(found).toBeLessThanOrEqual(right * 1.01);
    }
  });

  it('has a bar for every response, even very short and very long ones', () => {
    const histogram = new LatencyHistogram();
    for (const ms of [0, 0.3, 17, 1e9]) histogram.add(ms);
    expect(histogram.summary().bars.reduce((sum, bar) => sum + bar.count, 0)).toBe(4);
  });

  it('is all zeros when it is empty', () => {
    expect(new LatencyHistogram().summary()).toEqual({ count: 0, p50: 0, p90: 0, p99: 0, maxMs: 0, bars: [] });
  });
});
