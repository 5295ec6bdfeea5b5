import { describe, expect, it } from 'vitest';
import { RecentIds } from '../../src/bullmq/RemoteAttempts.ts';

describe('RecentIds', () => {
  it('knows at least the latest ids, and at most twice as many', () => {
    const ids = new RecentIds(3);
    for (let id = 0; id < 100; id++) {
      ids.add(String(id));
      const known = Array.from({ length: id + 1 }, (_, one) => one).filter((one) => ids.has(String(one)));
      expect(known.length).toBeGreaterThanOrEqual(Math.min(3, id + 1));
      expect(known.length).toBeLessThanOrEqual(6);
      expect(known).toEqual(Array.from({ length: known.length }, (_, one) => id - known.length + 1 + one));
    }
  });
});
