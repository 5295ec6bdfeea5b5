import { describe, expect, it } from 'vitest';
import { StoreClaim } from '../../../src/client/store/StoreClaim.ts';
import type { StoredResponses } from '../../../src/client/store/StoredResponses.ts';
import { searchService } from '../../../src/index.ts';

const request = { operation: searchService.operations.mapsReviews, query: { data_id: 'a' } };

/** Claims on one store, which others hold or not. */
function claims(mode: 'reuse' | 'record' = 'reuse') {
  const log: string[] = [];
  const state = { others: false };
  const responses = {
    store: { mode },
    claim: () => {
      log.push('claim');
      return !state.others;
    },
    release: () => void log.push('release'),
  } as unknown as StoredResponses;
  return { claim: new StoreClaim(responses), log, state };
}

describe('StoreClaim', () => {
  it('is taken once, also for retries, and released after the turn', async () => {
    const { claim, log } = claims();
    expect([claim.take(request, 0), claim.take(request, 10)]).toEqual([true, true]);
    claim.release();
    expect(log).toEqual(['claim']);
    await Promise.resolve();
    claim.release();
    expect(log).toEqual(['claim', 'release']);
  });

  it('waits for somebody else, but no longer than thirty seconds', () => {
    const { claim, log, state } = claims();
    state.others = true;
    expect([0, 29_999, 30_000, 30_001].map((now) => claim.take(request, now))).toEqual([false, false, false, true]);
    expect(log).toHaveLength(3);
  });

  it('is not needed where nothing is reused', () => {
    const { claim, log } = claims('record');
    expect(claim.take(request, 0)).toBe(true);
    claim.release();
    expect(log).toEqual([]);
  });
});
