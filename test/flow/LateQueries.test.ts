import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TimeoutError } from '../../src/errors/index.ts';
import type { OpenQuery } from '../../src/flow/core/Query.ts';
import { LateQueries } from '../../src/flow/run/LateQueries.ts';

const query = (number: number): OpenQuery => ({ number }) as OpenQuery;
const failed = new TimeoutError('no response', { attempts: 5 });
const refused = new TimeoutError('never sent', { attempts: 0 });

describe('LateQueries', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('keeps a query once, and gives all of them when the last has waited', () => {
    const late = new LateQueries(1000);
    const given: number[][] = [];
    const release = () => late.release((queries) => given.push(queries.map(({ number }) => number)));
    expect(late.keep(query(1), failed)).toBe(true);
    vi.advanceTimersByTime(600);
    expect(late.keep(query(2), failed)).toBe(true);
    release();
    release();
    vi.advanceTimersByTime(999);
    expect([given, late.size]).toEqual([[], 2]);
    vi.advanceTimersByTime(1);
    expect([given, late.size]).toEqual([[[1, 2]], 0]);
    expect([late.keep(query(1), failed), late.size]).toEqual([false, 0]);
  });

  it('keeps what was never sent again and again', () => {
    const late = new LateQueries(0);
    expect([refused, refused, failed, refused, failed].map((error) => late.keep(query(1), error))).toEqual([true, true, true, true, false]);
  });

  it('gives nothing after it was closed', () => {
    const late = new LateQueries(10);
    const take = vi.fn<(queries: readonly OpenQuery[]) => void>();
    late.keep(query(1), failed);
    late.release(take);
    late.close();
    vi.advanceTimersByTime(20);
    expect(take).not.toHaveBeenCalled();
  });
});
