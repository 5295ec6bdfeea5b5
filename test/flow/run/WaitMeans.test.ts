import { describe, expect, it } from 'vitest';
import { WaitMeans } from '../../../src/flow/run/RunTeller.ts';

const one = { operation: 'mapsReviews', path: [], ms: 5 };

describe('WaitMeans', () => {
  it('has the means over all looks, of each reason once, and the most first', () => {
    const means = new WaitMeans();
    means.add([
      { ...one, state: 'in flight', count: 8 },
      { ...one, state: 'waits', for: 'a slot', count: 3 },
      { ...one, state: 'waits', for: 'the rate', count: 10 },
    ]);
    means.add([{ ...one, operation: 'mapsSearch', state: 'waits', for: 'a slot', count: 2 }]);
    expect(means.inFlight).toBe(4);
    expect(means.waits).toEqual([
      { for: 'the rate', requests: 5 },
      { for: 'a slot', requests: 2.5 },
    ]);
  });

  it('is 0 before the first look', () => {
    expect(new WaitMeans()).toMatchObject({ inFlight: 0, waits: [] });
  });
});
