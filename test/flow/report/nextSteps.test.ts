import { describe, expect, it } from 'vitest';
import type { FlowSummary } from '../../../src/flow/index.ts';
import { nextSteps } from '../../../src/flow/report/index.ts';
import { stageProgress } from './stageProgress.ts';

const summary: FlowSummary = {
  type: 'summary',
  name: 'coffee',
  digest: '',
  outDir: 'out',
  outcome: 'failed',
  already: false,
  startedAt: 0,
  endedAt: 1000,
  requests: 3,
  retries: 0,
  throttled: 0,
  stages: [
    stageProgress('places', {
      done: 4,
      failed: 1,
      capped: 2,
      limits: ['pages: 3'],
      to: ['places.csv'],
      empty: 1,
      rows: 120,
    }),
  ],
  files: [],
  estimates: [{ stage: 'places', found: 2140, atLeast: 2260 }],
};

describe('nextSteps', () => {
  it('names first what to do, and last what is not known', () => {
    expect(nextSteps(summary, 'trawler run coffee.json').map(({ text }) => text)).toEqual([
      '1 query failed. Retry:',
      'places: 2,140 rows were found, and at least 2,260 exist, judging by how many came from several queries.',
      '1 query found nothing: 1 of places. They are in empty.jsonl.',
      'places: 2 queries were capped by pages: 3. Raise it for the rest.',
    ]);
  });

  it.each([
    [['places.csv'], 'pages: 1', true],
    [[], 'pages: 1 (the default)', true],
    [[], 'pages: 1', false],
  ])('says of a stage that writes %j and was capped by %s what to raise: %s', (to, limit, isSaid) => {
    const stages = [stageProgress('searches', { done: 4, capped: 4, limits: [limit], to })];
    const said = nextSteps({ ...summary, stages, estimates: [] }, 'trawler run coffee.json').map(({ text }) => text);
    expect(said).toEqual([`searches: 4 queries were capped by ${limit}.${isSaid ? ' Raise it for the rest.' : ''}`]);
  });

  it('offers no retry of queries that the service refuses as they are', () => {
    const failed = (count: number, refused: number): readonly object[] =>
      nextSteps({ ...summary, estimates: [], stages: [stageProgress('places', { failed: count, refused })] }, 'trawler run c.json');
    expect(failed(3, 2)).toEqual([
      { text: '1 query failed. Retry:', command: 'trawler run c.json --failures' },
      { text: '2 queries failed, because they are refused as they are: see failures.jsonl.' },
    ]);
    expect(failed(1, 1)).toEqual([{ text: '1 query failed, because it is refused as it is: see failures.jsonl.' }]);
  });

  it('gives no command while the run goes on', () => {
    const stages = [stageProgress('places', { done: 4, failed: 1 }), stageProgress('reviews', { done: 9, short: 2, got: 7, claimed: 20 })];
    const running = nextSteps({ ...summary, stages, outcome: 'interrupted', estimates: [] }, 'trawler run coffee.json', true);
    expect(running).toEqual([{ text: '1 query failed.' }, { text: 'reviews: 2 of 9 queries are short: 7 of 20 rows.' }]);
  });
});
