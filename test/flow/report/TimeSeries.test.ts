import { describe, expect, it } from 'vitest';
import { TimeSeries } from '../../../src/flow/report/RunRecorder.ts';

describe('TimeSeries', () => {
  it('counts what happens in the bucket in which it happens', () => {
    const series = new TimeSeries(1000);
    series.add('requests', 1000);
    series.add('requests', 1099);
    series.add('rows', 1250, 20);
    expect(series.buckets.map((bucket) => [bucket.requests, bucket.rows])).toEqual([
      [2, 0],
      [0, 0],
      [0, 20],
    ]);
  });

  it('loses no count when two buckets become one, and never has more of them', () => {
    const series = new TimeSeries(0, 8);
    for (let at = 0; at < 3_600_000; at += 1000) series.add('responses', at);
    expect(series.buckets.length).toBeLessThanOrEqual(8);
    expect(series.buckets.reduce((sum, bucket) => sum + bucket.responses, 0)).toBe(3600);
    expect(series.widthMs * 8).toBeGreaterThanOrEqual(3_600_000);
  });

  it('carries a rate on until another is known, and can forget it', () => {
    const series = new TimeSeries(0);
    series.setRate(5, 0);
    series.add('rows', 200);
    series.setRate(undefined, 300);
    expect(series.buckets.map((bucket) => bucket.rate)).toEqual([5, 5, 5, undefined]);
  });

  it('counts events before the start in the first bucket', () => {
    const series = new TimeSeries(1000);
    series.add('rows', 900);
    expect(series.buckets[0]?.rows).toBe(1);
  });
});
