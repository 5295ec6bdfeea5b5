import { describe, expect, it } from 'vitest';
import { expectPages, timeLeft } from '../../../src/flow/report/expectPages.ts';
import type { StageProgress } from '../../../src/flow/index.ts';
import { stageProgress } from './stageProgress.ts';

const estimateLeft = (before: readonly StageProgress[], now: readonly StageProgress[], elapsedMs: number) =>
  timeLeft(
    expectPages(now),
    before.reduce((sum, { pages }) => sum + pages, 0),
    elapsedMs,
  );

describe('timeLeft', () => {
  const start = [stageProgress('places'), stageProgress('reviews', { each: ['places'] })];

  it('expects as many queries and pages from the remaining parents as from the earlier ones', () => {
    const now = [
      stageProgress('places', { done: 2, waiting: 2, pages: 2 }),
      stageProgress('reviews', { each: ['places'], done: 10, waiting: 10, pages: 30 }),
    ];
    // 2 places of a page; 10 + 2 × 10 places' reviews of 3 pages: 92 pages, at 32 in 16 s
    expect(estimateLeft(start, now, 16_000)).toEqual({ ms: 46_000, atLeast: false });
  });

  it('counts only the pages of this run towards its pace', () => {
    const before = [stageProgress('places', { done: 90, pages: 90 })];
    const now = [stageProgress('places', { done: 100, waiting: 10, pages: 100 })];
    expect(estimateLeft(before, now, 5000)).toEqual({ ms: 5000, atLeast: false });
  });

  it('counts the found queries as a minimum while the rest is unknown', () => {
    const seeds = [stageProgress('places', { done: 5, waiting: 5, pages: 5, more: true })];
    expect(estimateLeft(start, seeds, 10_000)).toEqual({ ms: 10_000, atLeast: true });
    const first = [stageProgress('places', { waiting: 1, pages: 3 }), stageProgress('reviews', { each: ['places'], waiting: 2 })];
    expect(estimateLeft(start, first, 3000)).toEqual({ ms: 3000, atLeast: true });
  });

  it('is at least so long while more seeds will be found, whatever is guessed besides', () => {
    const now = [
      stageProgress('places', { done: 1, waiting: 1, pages: 1, more: true }),
      stageProgress('reviews', { each: ['places'], done: 2, pages: 1 }),
    ];
    expect(estimateLeft(start, now, 10_000)).toEqual({ ms: 15_000, atLeast: true });
  });

  it('gives no estimate without data', () => {
    expect(estimateLeft(start, start, 10_000)).toBeUndefined();
    const now = [stageProgress('places', { done: 1, waiting: 5, pages: 1 })];
    expect(estimateLeft(start, now, 100)).toBeUndefined();
    expect(estimateLeft(start, [stageProgress('places', { done: 5, pages: 5 })], 10_000)).toBeUndefined();
  });
});
