import { describe, expect, it } from 'vitest';
import { RefusalGap } from '../../../src/client/rate/LearntPace.ts';

describe('RefusalGap', () => {
  it('doubles with each refusal in a row, and grows more slowly from 0.8 s on, up to ten seconds', () => {
    const gap = new RefusalGap();
    const distances = Array.from({ length: 20 }, () => {
      gap.refused(100);
      return gap.ms;
    });
    expect(distances.slice(0, 6)).toEqual([100, 200, 400, 800, 1000, 1250]);
    expect(distances.at(-1)).toBe(10_000);
  });

  it('ends with the first success', () => {
    const gap = new RefusalGap();
    gap.refused(100);
    gap.refused(100);
    gap.over();
    expect(gap.ms).toBe(0);
    gap.refused(30);
    expect(gap.ms).toBe(30);
  });
});
