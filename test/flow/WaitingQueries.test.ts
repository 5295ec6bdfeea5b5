import { describe, expect, it } from 'vitest';
import { compileFlow } from '../../src/flow/definition/compileFlow.ts';
import type { OpenQuery } from '../../src/flow/core/Query.ts';
import { WaitingQueries } from '../../src/flow/run/WaitingQueries.ts';

const flow = compileFlow({
  name: 'two',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 'all' },
    reviews: { call: 'placeReviews', each: 'places', pages: 'all', to: 'reviews.jsonl' },
  },
});
const query = (stage: string, number: number, pages = 0): OpenQuery =>
  ({
    is: pages === 0 ? 'waiting' : 'walking',
    number,
    stage,
    params: {},
    kept: undefined,
    parent: undefined,
    walk: { pages, query: {} },
  }) as OpenQuery;

describe('WaitingQueries', () => {
  it('gives the deepest stage first, and started queries before others', () => {
    const queue = new WaitingQueries(flow, 0);
    queue.add([query('places', 1), query('reviews', 2), query('reviews', 3, 1), query('places', 4, 2)]);
    expect(Array.from({ length: 5 }, () => queue.take()?.number)).toEqual([3, 2, 4, 1, undefined]);
    expect(queue.size).toBe(0);
  });

  it('gives the stage above first while too few queries of a stage wait', () => {
    const queue = new WaitingQueries(flow, 2);
    queue.add([query('places', 1), query('places', 2), query('reviews', 3), query('reviews', 4)]);
    expect([0, 1, 2].map((depth) => queue.levelAt(depth)?.size)).toEqual([2, 2, undefined]);
    expect([queue.take()?.number, queue.take()?.number]).toEqual([3, 1]);
    queue.add([query('reviews', 5)]);
    expect([queue.take(), queue.take(), queue.take()].map((next) => next?.number)).toEqual([4, 2, 5]);
  });
});
