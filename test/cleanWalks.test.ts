import { beforeAll, describe, expect, it } from 'vitest';
import { walkInPipe, type WalksOutcome } from './walkInPipe.ts';
import { walkedOperations } from './walkWorlds.ts';

/** Walks where nothing goes wrong, of 0 to 80 rows each. */
const totals = [0, 3, 7, 10, 13, 20, 24, 30, 35, 40, 46, 50, 57, 60, 66, 70, 78, 80];
const worlds = totals.map((total) => `${total} rows, none`);
const whole = walkedOperations.filter((operation) => operation.endsWith('_all'));

describe('630 walks where nothing goes wrong', () => {
  let walked: readonly WalksOutcome[];
  beforeAll(async () => {
    walked = await Promise.all(whole.map((operation) => walkInPipe(operation, worlds)));
  });

  it('request no page more than they did when every full end was looked at again', () => {
    const requests = walked.reduce((sum, outcome) => sum + outcome.requests.length, 0);
    expect(walked.length * worlds.length).toBe(630);
    expect(walked.flatMap(({ failed, capped, short }) => [failed, capped, short]).filter((count) => count > 0)).toEqual([]);
    expect(requests).toBeLessThanOrEqual(3080); // counted before rechecks learnt
  });

  it('bring all rows', () => {
    const rows = totals.reduce((sum, total) => sum + total, 0);
    expect(walked.map((outcome) => new Set(outcome.rows).size)).toEqual(whole.map(() => rows));
  });
});
