import { describe, expect, it } from 'vitest';
import { nextLevel, type WaitingLevel } from '../../operators/demand/nextLevel.ts';

const level = (depth: number, size: number, backlog = Infinity): WaitingLevel => ({ depth, size, backlog });

describe('nextLevel', () => {
  it.each<[string, readonly WaitingLevel[], number | undefined]>([
    ['nothing waits: none', [level(1, 0), level(2, 0)], undefined],
    ['the nearest one', [level(1, 3), level(2, 5, 3)], 1],
    ['the nearest one that has any', [level(1, 0), level(2, 5)], 2],
    ['the one whose backlog is short', [level(1, 1), level(2, 5, 1)], 2],
    ['the farthest one whose backlog is short', [level(1, 1), level(2, 1, 1), level(3, 4, 1)], 3],
    ['a level whose backlog is short but that has none is passed over', [level(1, 1), level(2, 0, 1)], 1],
    ['one beyond the farthest, if its backlog is short', [level(1, 0), level(9, 4, 1)], 9],
    ['none beyond the farthest that only waits for its turn', [level(1, 0), level(9, 4)], undefined],
  ])('%s', (_, levels, depth) => {
    expect(nextLevel(levels, 2, 5)?.depth).toBe(depth);
  });
});
