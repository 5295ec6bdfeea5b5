import { describe, expect, it } from 'vitest';
import { firstHoldTime, growTime, holdTime } from '../../../src/client/rate/RateBelief.ts';

const holdMs = 1000;

describe('holdTime', () => {
  it.each([
    ['at least the shortest time', 1000, 1, 0, 1000],
    ['two hundred requests for a refusal', 100, 1, 0, 2000],
    ['more for many refusals', 100, 10, 0, 16_000],
    ['no more than sixteen times the shortest time', 1, 1, 0, 16_000],
    ['sixty times the part of a pause that is lost', 100, 1, 1000, 60_000],
  ])('is %s', (_, rate, refusals, lostMs, ms) => {
    expect(holdTime(rate, { refusals, lostMs }, holdMs)).toBe(ms);
  });

  it('is as long as the first burst and its silence, within bounds', () => {
    expect([firstHoldTime(500, holdMs), firstHoldTime(99_000, holdMs)]).toEqual([500, 16_000]);
  });
});

describe('growTime', () => {
  it.each([
    [100, 1000],
    [2000, 4000],
    [60_000, 10_000],
  ])('is twice the time of the period of %i ms, within bounds: %i', (spentMs, ms) => expect(growTime(spentMs)).toBe(ms));
});
