import { describe, expect, it } from 'vitest';
import { estimateLeft } from '../../../src/cli/live/estimateLeft.ts';
import { stageProgress } from './stageProgress.ts';

describe('estimateLeft', () => {
  const start = [stageProgress('places'), stageProgress('reviews', { each: ['places'] })];

  it('expects of the parents that are left as many units and pages as those before had', () => {
    const now = [
      stageProgress('places', { unitsDone: 2, unitsWaiting: 2, pages: 2 }),
      stageProgress('reviews', { each: ['places'], unitsDone: 10, unitsWaiting: 10, pages: 30 }),
    ];
    // 2 places of a page; 10 + 2 × 10 places' reviews of 3 pages: 92 pages, at 32 in 16 s
    expect(estimateLeft(start, now, 16_000)).toBe(46_000);
  });

  it('counts only the pages of this run towards its pace', () => {
    const before = [stageProgress('places', { unitsDone: 90, pages: 90 })];
    const now = [stageProgress('places', { unitsDone: 100, unitsWaiting: 10, pages: 100 })];
    expect(estimateLeft(before, now, 5000)).toBe(5000);
  });

  it('says nothing before there is something to go by', () => {
    expect(estimateLeft(start, start, 10_000)).toBeUndefined();
    const now = [stageProgress('places', { unitsDone: 1, unitsWaiting: 5, pages: 1 })];
    expect(estimateLeft(start, now, 100)).toBeUndefined();
    expect(estimateLeft(start, [stageProgress('places', { unitsDone: 5, pages: 5, more: true })], 10_000)).toBeUndefined();
    const unended = [stageProgress('places', { unitsWaiting: 5, pages: 9 }), stageProgress('reviews', { each: ['places'] })];
    expect(estimateLeft(start, unended, 10_000)).toBeUndefined();
  });
});
