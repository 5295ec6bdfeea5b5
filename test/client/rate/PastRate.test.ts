import { describe, expect, it } from 'vitest';
import { PastRate } from '../../../src/client/rate/RateBelief.ts';

describe('PastRate', () => {
  it('takes the first period as it is', () => {
    expect(new PastRate().blend(20, 5, false)).toBe(20);
  });

  it('gives a short period the weight of its length against ten requests', () => {
    const past = new PastRate();
    past.blend(10, 100, false); // ten requests take a second
    expect(past.blend(20, 10, false)).toBeCloseTo((20 * 500 + 10 * 1000) / 1500);
  });

  it('takes a period as it is that is more than three times as long', () => {
    const past = new PastRate();
    past.blend(10, 100, false);
    expect(past.blend(20, 61, false)).toBe(20);
  });

  it('keeps a second and a half where each refusal costs a pause', () => {
    const past = new PastRate();
    past.blend(1, 100, true);
    expect(past.blend(2, 3, true)).toBeCloseTo((2 * 1500 + 1 * 1500) / 3000);
  });
});
