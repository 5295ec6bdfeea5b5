import { Subject } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AnyClient, type ClientEvent, showProgress } from '../../../src/index.ts';
import { idleStats } from '../../idleStats.ts';

const response = (operation: string, items: number): ClientEvent =>
  ({ type: 'response', operation, items, query: {}, at: 0, id: 1, attempt: 1, status: 200, ms: 1, bytes: 1, requestId: '' }) as const;

function scene(stats: object = {}) {
  const events$ = new Subject<ClientEvent>();
  const figures = { ...idleStats, inFlight: 2, waiting: 3, requests: 4 };
  const client = { events$, stats: () => ({ ...figures, ...stats }) } as unknown as AnyClient;
  let written = '';
  const output = (isTTY: boolean) => ({ isTTY, write: (text: string) => (written += text) });
  return { events$, client, output, written: () => written };
}

describe('showProgress', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('prints a line with the total and each operation, every two seconds on a terminal', () => {
    const { events$, client, output, written } = scene({ rate: 20, failedAttempts: [{ because: 'HTTP 429', count: 1, lostMs: 0 }] });
    const stop = showProgress(client, { output: output(true) });
    events$.next(response('mapsSearch', 20));
    vi.advanceTimersByTime(2000);
    const total = '0 requests, limit 20/s, 1 × 429, 2 in flight, 3 waiting';
    expect(written()).toBe(`2 s, ${total}; mapsSearch  1 page  20 rows\n`);
    events$.next(response('mapsSearch', 20));
    events$.next(response('mapsReviews', 10));
    vi.advanceTimersByTime(2000);
    expect(written().split('\n')[1]).toBe(`4 s, ${total}; mapsSearch  2 pages  40 rows; mapsReviews  1 page  10 rows`);
    stop();
  });

  it('prints nothing while nothing changes, and a line every ten seconds elsewhere', () => {
    const { events$, client, output, written } = scene();
    const stop = showProgress(client, { output: output(false) });
    events$.next(response('mapsSearch', 20));
    vi.advanceTimersByTime(9_999);
    expect(written()).toBe('');
    vi.advanceTimersByTime(60_000);
    stop();
    expect(written()).toBe('10 s, 0 requests, 2 in flight, 3 waiting; mapsSearch  1 page  20 rows\n');
  });

  it('shows the pages that came from the store since it began', () => {
    const stats = { hits: 2 };
    const { client, output, written } = scene(stats);
    const now = { ...client, stats: () => ({ ...client.stats(), ...stats }) } as AnyClient;
    const stop = showProgress(now, { output: output(false) });
    stats.hits = 5;
    stop();
    expect(written()).toContain('0 s, 0 requests, 3 pages from the store, 2 in flight');
  });

  it('ends with the client, or when it is stopped', () => {
    const { events$, client, output, written } = scene();
    const stop = showProgress(client, { output: output(true), everyMs: 100 });
    events$.complete();
    const last = written();
    stop();
    vi.advanceTimersByTime(1000);
    expect(written()).toBe(last);
    expect([last.endsWith('\n'), vi.getTimerCount()]).toEqual([true, 0]);
  });

  it('refuses an interval that makes no sense', () => {
    expect(() => showProgress(scene().client, { everyMs: 0 })).toThrow('showProgress: everyMs must be a number from 10 to 3600000, not 0');
  });
});
