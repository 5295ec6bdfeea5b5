import { describe, expect, it } from 'vitest';
import { InFlightLimit } from '../../../src/client/rate/InFlightLimit.ts';

/** Eight went out at once; those from the fifth on were refused. */
function suspected(): InFlightLimit {
  const limit = new InFlightLimit();
  expect(limit.explains(0, 5, 8, undefined)).toBe(false);
  for (let more = 0; more < 3; more++) limit.refusedToo();
  return limit;
}

function fill(limit: InFlightLimit, inFlight: number, times: number): void {
  for (let n = 0; n < times; n++) {
    limit.held();
    limit.succeeded(inFlight);
  }
}

/** … and four at once went well, again and again. */
function proven(): InFlightLimit {
  const limit = suspected();
  fill(limit, 4, 16);
  return limit;
}

describe('InFlightLimit', () => {
  it('knows no limit before anything is refused', () => {
    expect(new InFlightLimit().most(0)).toBe(Infinity);
  });

  it('suggests the number that was not refused', () => {
    expect(suspected().most(0)).toBe(4);
  });

  it('is no limit once fewer are refused', () => {
    const limit = suspected();
    expect(limit.explains(100, 1, 1, undefined)).toBe(false);
    expect(limit.most(100)).toBe(Infinity);
    expect(limit.explains(200, 8, 8, undefined)).toBe(false);
    expect(limit.most(200)).toBe(Infinity);
  });

  it('comes down where it was set a little too high', () => {
    const limit = suspected();
    limit.explains(100, 4, 4, undefined);
    expect(limit.most(100)).toBe(3);
  });

  it('explains no refusal before it is confirmed', () => {
    expect(suspected().explains(100, 5, 5, undefined)).toBe(false);
  });

  it('stays once it is confirmed, whatever else is refused', () => {
    const limit = proven();
    expect(limit.explains(100, 2, 2, undefined)).toBe(false);
    expect(limit.most(100)).toBe(4);
  });

  it('tries one more after a while, and longer after each time that it is refused', () => {
    const limit = proven();
    expect([limit.most(999), limit.most(1000)]).toEqual([4, 5]);
    expect(limit.explains(1100, 5, 5, undefined)).toBe(true);
    expect([limit.most(3099), limit.most(3100)]).toEqual([4, 5]);
  });

  it('waits longer from the start if the first refusal comes with a pause', () => {
    const limit = new InFlightLimit();
    limit.explains(0, 5, 5, 1000);
    fill(limit, 4, 16);
    expect([limit.most(29_999), limit.most(30_000)]).toEqual([4, 5]);
  });

  it('waits longer if a refusal comes with a pause', () => {
    const limit = proven();
    limit.most(5000);
    limit.explains(5000, 5, 5, 1000);
    expect([limit.most(34_999), limit.most(35_000)]).toEqual([4, 5]);
  });

  it('rises by growing steps while no request is refused', () => {
    const limit = proven();
    expect(limit.most(5000)).toBe(5);
    fill(limit, 5, 5);
    expect(limit.most(5000)).toBe(7);
    fill(limit, 7, 7);
    expect(limit.most(5000)).toBe(11);
  });

  it('halves the step if that was too many', () => {
    const limit = proven();
    expect(limit.most(1000)).toBe(5);
    fill(limit, 5, 5);
    expect(limit.most(1000)).toBe(7);
    expect(limit.explains(1000, 7, 7, undefined)).toBe(true);
    expect(limit.most(1000)).toBe(6);
  });

  it('is no limit if more were accepted before', () => {
    const limit = new InFlightLimit();
    limit.succeeded(16);
    limit.explains(0, 16, 16, undefined);
    for (let more = 0; more < 4; more++) limit.refusedToo();
    expect(limit.most(0)).toBe(Infinity);
  });

  it('is not confirmed by responses while something else held requests back', () => {
    const limit = suspected();
    for (let n = 0; n < 100; n++) limit.succeeded(4);
    expect(limit.explains(100, 1, 1, undefined)).toBe(false);
    expect(limit.most(100)).toBe(Infinity);
  });

  it('says once that it is confirmed', () => {
    const limit = suspected();
    const said = Array.from({ length: 30 }, () => {
      limit.held();
      return limit.succeeded(4);
    });
    expect(said.filter(Boolean)).toHaveLength(1);
  });
});
