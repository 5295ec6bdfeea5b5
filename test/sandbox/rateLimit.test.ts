import { describe, expect, it } from 'vitest';
import { rateLimit } from '../../src/sandbox/rateLimit.ts';

describe('rateLimit', () => {
  it('a bucket starts full and refills all the time', () => {
    const bucket = rateLimit({ kind: 'bucket', perSecond: 2, burst: 3 });
    expect([0, 0, 0, 0].map((now) => Math.round(bucket(now)))).toEqual([0, 0, 0, 500]);
    expect([400, 500, 500].map((now) => Math.round(bucket(now)))).toEqual([100, 0, 500]);
    expect([100_000, 100_000, 100_000, 100_000].map((now) => Math.round(bucket(now)))).toEqual([0, 0, 0, 500]);
  });

  it('a bucket holds what it gives in a second unless told otherwise, and at least one', () => {
    const [slow, fast] = [rateLimit({ kind: 'bucket', perSecond: 0.5 }), rateLimit({ kind: 'bucket', perSecond: 2 })];
    expect([slow(0), slow(0)]).toEqual([0, 2000]);
    expect([fast(0), fast(0), fast(0)]).toEqual([0, 0, 500]);
  });

  it('a window opens with the first request and starts anew on its own beat', () => {
    const window = rateLimit({ kind: 'window', requests: 2, perMs: 1000 });
    expect([50, 100, 200, 1049].map((now) => window(now))).toEqual([0, 0, 850, 1]);
    expect([1050, 1060, 1070].map((now) => window(now))).toEqual([0, 0, 980]);
    expect(window(9999)).toBe(0);
    expect([10_000, 10_010].map((now) => window(now))).toEqual([0, 40]);
  });
});
