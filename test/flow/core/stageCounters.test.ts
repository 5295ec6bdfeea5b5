import { describe, expect, it } from 'vitest';
import { addCounts, counterList, shownCounts, startCounts } from '../../../src/flow/core/stageCounters.ts';

describe('stageCounters', () => {
  it('start at 0, take what pages add, and are shown as their declaration says', () => {
    const counts = startCounts();
    expect(shownCounts(counts)).toEqual(
      Object.fromEntries(counterList.filter(({ shown }) => shown === 'always').map(({ name }) => [name, 0])),
    );
    for (const { name } of counterList) addCounts(counts, { [name]: 2 });
    expect(shownCounts(counts)).toEqual(
      Object.fromEntries(counterList.filter(({ shown }) => shown !== 'never').map(({ name }) => [name, 2])),
    );
    addCounts(counts, { rows: 1 }, { title: 3 });
    addCounts(counts, { rows: 1 }, { title: 1 }, -1);
    expect([counts.rows, counts.filled.get('title')]).toEqual([2, 2]);
  });
});
