import { describe, expect, it } from 'vitest';
import { shareJobs } from '../../src/bullmq/RemoteAttempts.ts';

const pages = (count: number): { readonly isRetry: boolean }[] => Array.from({ length: count }, () => ({ isRetry: false }));

describe('shareJobs', () => {
  it.each([
    ['no worker yet: as large as a job may be', 40, [], [16, 16, 8]],
    ['one worker: half of what it does at once', 10, [4], [2, 2, 2, 2, 2]],
    ['the slowest worker decides', 10, [64, 6], [3, 3, 3, 1]],
    ['a fast worker takes all', 10, [1000], [10]],
    ['no larger than 16 pages', 40, [1000], [16, 16, 8]],
    ['each worker as many', 5, [16, 16], [3, 2]],
    ['a worker that does one page at once', 2, [1], [1, 1]],
    ['no page', 0, [8], []],
  ])('%s', (_, count, slots, sizes) => {
    expect(shareJobs(pages(count), slots).map(({ length }) => length)).toEqual(sizes);
  });

  it('gives a retry a job of its own, so that a query that ends workers ends no other', () => {
    const [first, retry, last] = [{ isRetry: false }, { isRetry: true }, { isRetry: false }];
    expect(shareJobs([first, retry, last], [8])).toEqual([[retry], [first, last]]);
  });
});
