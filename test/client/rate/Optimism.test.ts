import { describe, expect, it } from 'vitest';
import { Optimism } from '../../../src/client/rate/RateBelief.ts';

describe('Optimism', () => {
  it('goes half way between two ends at first', () => {
    expect(new Optimism().between(10, 20, false)).toBe(15);
  });

  it('takes the low end where it is sure, or where both are one figure', () => {
    const optimism = new Optimism();
    expect([optimism.between(10, 20, true), optimism.between(10, 10.1, false)]).toEqual([10, 10]);
  });

  it('falls to a third when a rate above the low end is refused early', () => {
    const optimism = new Optimism();
    optimism.between(10, 20, false);
    optimism.judge(true, false);
    expect(optimism.share).toBeCloseTo(0.5 / 3);
  });

  it('stays when the low end is refused early, unless that costs a pause', () => {
    const optimism = new Optimism();
    optimism.between(10, 20, true);
    optimism.judge(true, false);
    expect(optimism.share).toBe(0.5);
    optimism.judge(true, true);
    expect(optimism.share).toBeCloseTo(0.5 / 3);
  });

  it('rises by half with each rate that holds, to a half at most', () => {
    const optimism = new Optimism();
    optimism.judge(true, true);
    optimism.judge(false, true);
    expect(optimism.share).toBeCloseTo(0.25);
    for (let n = 0; n < 5; n++) optimism.judge(false, true);
    expect(optimism.share).toBe(0.5);
  });
});
