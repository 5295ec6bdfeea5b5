import { describe, expect, it } from 'vitest';
import { StoreReservation } from '../../../src/client/store/StoreUse.ts';
import type { StoredResponses } from '../../../src/client/store/StoredResponses.ts';
import { searchService } from '../../../src/index.ts';

const request = { operation: searchService.operations.mapsReviews, query: { data_id: 'a' } };

/** Reservations on one store, which others hold or not. */
function reservations(mode: 'reuse' | 'record' = 'reuse') {
  const log: string[] = [];
  const state = { others: false };
  const responses = {
    store: { mode },
    reserve: () => {
      log.push('reservation');
      return !state.others;
    },
    release: () => void log.push('release'),
  } as unknown as StoredResponses;
  return { reservation: new StoreReservation(responses), log, state };
}

describe('StoreReservation', () => {
  it('is taken once, also for retries, and released after the turn', async () => {
    const { reservation, log } = reservations();
    expect([reservation.take(request, 0), reservation.take(request, 10)]).toEqual([true, true]);
    reservation.release();
    expect(log).toEqual(['reservation']);
    await Promise.resolve();
    reservation.release();
    expect(log).toEqual(['reservation', 'release']);
  });

  it('waits for somebody else, but no longer than thirty seconds', () => {
    const { reservation, log, state } = reservations();
    state.others = true;
    expect([0, 29_999, 30_000, 30_001].map((now) => reservation.take(request, now))).toEqual([false, false, false, true]);
    expect(log).toHaveLength(3);
  });

  it('is not needed where nothing is reused', () => {
    const { reservation, log } = reservations('record');
    expect(reservation.take(request, 0)).toBe(true);
    reservation.release();
    expect(log).toEqual([]);
  });
});
