import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TimeoutError } from '../../src/errors/index.ts';
import type { OpenQuery } from '../../src/flow/core/Query.ts';
import { PostponedQueries } from '../../src/flow/run/PostponedQueries.ts';

const query = (number: number): OpenQuery => ({ number }) as OpenQuery;
const failed = new TimeoutError('no response', { attempts: 5 });
const refused = new TimeoutError('never sent', { attempts: 0 });

describe('PostponedQueries', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('keeps a query once, and gives all of them when the last has waited', () => {
    const postponed = new PostponedQueries(1000);
    const given: number[][] = [];
    const release = () => postponed.release((queries) => given.push(queries.map(({ number }) => number)));
    expect(postponed.keep(query(1), failed)).toBe(true);
    vi.advanceTimersByTime(600);
    expect(postponed.keep(query(2), failed)).toBe(true);
    release();
    release();
    vi.advanceTimersByTime(999);
    expect([given, postponed.size]).toEqual([[], 2]);
    vi.advanceTimersByTime(1);
    expect([given, postponed.size]).toEqual([[[1, 2]], 0]);
    expect([postponed.keep(query(1), failed), postponed.size]).toEqual([false, 0]);
  });

  it('keeps what was never sent again and again', () => {
    const postponed = new PostponedQueries(0);
    expect([refused, refused, failed, refused, failed].map((error) => postponed.keep(query(1), error))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('gives nothing after it was closed', () => {
    const postponed = new PostponedQueries(10);
    const take = vi.fn<(queries: readonly OpenQuery[]) => void>();
    postponed.keep(query(1), failed);
    postponed.release(take);
    postponed.close();
    vi.advanceTimersByTime(20);
    expect(take).not.toHaveBeenCalled();
  });
});
