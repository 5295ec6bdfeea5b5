import { describe, expect, it } from 'vitest';
import { StoreUse } from '../../../src/client/store/StoreUse.ts';
import { searchService } from '../../../src/index.ts';

/** A call's use of a store whose requests others send, or not. */
function useOf(mode: 'reuse' | 'record' = 'reuse') {
  const log: string[] = [];
  const state = { others: false, now: 0 };
  const responses = {
    store: { mode },
    reserve: () => {
      log.push('reservation');
      return !state.others;
    },
    release: () => void log.push('release'),
  };
  const core = { settings: { clock: { now: () => state.now } } };
  const use = new StoreUse(core as never, { responses } as never, { operation: searchService.operations.mapsReviews } as never);
  const reserve = (now: number): boolean => {
    state.now = now;
    return use.reserve({ data_id: 'a' });
  };
  return { use, reserve, log, state };
}

describe('StoreUse', () => {
  it('reserves a request once, also for retries, and releases it after the turn', async () => {
    const { use, reserve, log } = useOf();
    expect([reserve(0), reserve(10)]).toEqual([true, true]);
    use.release();
    expect(log).toEqual(['reservation']);
    await Promise.resolve();
    use.release();
    expect(log).toEqual(['reservation', 'release']);
  });

  it('waits for somebody else, but no longer than thirty seconds', () => {
    const { reserve, log, state } = useOf();
    state.others = true;
    expect([0, 29_999, 30_000, 30_001].map(reserve)).toEqual([false, false, false, true]);
    expect(log).toHaveLength(3);
  });

  it('reserves nothing where nothing is reused', () => {
    const { use, reserve, log } = useOf('record');
    expect(reserve(0)).toBe(true);
    use.release();
    expect(log).toEqual([]);
  });
});
