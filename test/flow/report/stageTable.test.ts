import { expect, it } from 'vitest';
import { stageBox, stageTable } from '../../../src/flow/report/stageTable.ts';
import { stageProgress } from './stageProgress.ts';

it('counts what a stage has done in singular and plural', () => {
  expect(stageBox(stageProgress('a', { done: 1, waiting: 0, pages: 1, rows: 1 })).lines).toEqual(['1 query', '1 page, 1 row']);
  expect(stageBox(stageProgress('a', { done: 1, waiting: 1, pages: 2, rows: 0, failed: 1 })).lines).toEqual([
    '2 of 3 queries, 1 failed',
    '2 pages, 0 rows',
  ]);
});

it('colours work that is under way otherwise than work that was left', () => {
  const left = stageProgress('a', { waiting: 1 });
  expect([stageBox(left, true).mood, stageBox(left).mood]).toEqual(['now', 'warn']);
  expect([stageTable([left], true), stageTable([left])]).toEqual([
    expect.stringContaining('now">running<'),
    expect.stringContaining('warn">interrupted<'),
  ]);
});
