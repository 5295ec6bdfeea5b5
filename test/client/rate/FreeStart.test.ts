import { describe, expect, it } from 'vitest';
import { FreeStart } from '../../../src/client/rate/LearntPace.ts';

describe('FreeStart', () => {
  const after = (starts: number, at = 0): FreeStart => {
    const free = new FreeStart(3);
    for (let n = 0; n < starts; n++) free.started(at);
    return free;
  };

  it('lets the first request start at once', () => expect(new FreeStart(1).waitMs(1000, 0)).toBe(0));

  it('lets so many start at once, and one more every 50 ms', () => {
    expect([2, 3, 4].map((starts) => after(starts).waitMs(0, 0))).toEqual([0, 50, 100]);
    expect(after(3).waitMs(50, 0)).toBe(0);
  });

  it('makes room for two with each response', () => {
    expect([5, 6].map((starts) => after(starts).waitMs(0, 1))).toEqual([50, 100]);
    expect(after(5).waitMs(0, 2)).toBe(0);
  });

  it('does not count time without requests', () => {
    const free = after(3);
    expect(free.started(60_000)).toBe(1000);
    expect(free.waitMs(60_000, 0)).toBe(0);
    for (let n = 0; n < 20; n++) free.started(60_000);
    expect(free.waitMs(60_000, 0)).toBe((24 + 1 - 3) * 50 - 1000);
  });
});
