import { describe, expect, it } from 'vitest';
import { AnnouncedLimit } from '../../../src/client/rate/AnnouncedLimit.ts';

describe('AnnouncedLimit', () => {
  it('limits nothing before the service states a limit', () => {
    expect(new AnnouncedLimit().waitMs(0, 1000)).toBe(0);
  });

  it('keeps no more in flight than remain, until the time of the reset', () => {
    const limit = new AnnouncedLimit();
    limit.told(0, 0, { remaining: 2, resetMs: 5000 });
    expect([0, 1, 2].map((inFlight) => limit.waitMs(10, inFlight))).toEqual([0, 0, Infinity]);
    limit.told(20, 10, { remaining: 0, resetMs: 4980 });
    expect(limit.waitMs(20, 0)).toBe(4980);
    expect(limit.waitMs(5000, 0)).toBe(0);
  });

  it('follows the response to the latest request', () => {
    const limit = new AnnouncedLimit();
    limit.told(30, 20, { remaining: 5, resetMs: 1000 });
    limit.told(40, 10, { remaining: 9, resetMs: 1000 });
    expect(limit.waitMs(50, 5)).toBe(Infinity);
  });

  it('follows a response that states a later reset, though its request started earlier', () => {
    const limit = new AnnouncedLimit();
    limit.told(900, 600, { remaining: 4, resetMs: 100 });
    limit.told(1080, 910, { remaining: 3, resetMs: -80 }); // it came late
    limit.told(1190, 905, { remaining: 1, resetMs: 1810 }); // the service counted it after the reset
    expect([0, 1].map((inFlight) => limit.waitMs(1190, inFlight))).toEqual([0, Infinity]);
  });

  it('says until when nothing is left, while it is trusted', () => {
    const limit = new AnnouncedLimit();
    expect(limit.pausedUntil).toBe(-Infinity);
    limit.told(0, 0, { remaining: 1, resetMs: 86_400_000 });
    expect(limit.pausedUntil).toBe(-Infinity);
    for (let n = 1; n < 5; n++) {
      limit.told(n, n, { remaining: 0, resetMs: 86_400_000 });
      expect(limit.pausedUntil).toBe(n + 86_400_000);
      limit.succeeded(n, n);
    }
    expect(limit.pausedUntil).toBe(-Infinity);
  });

  it('counts what was sent together as the response with the least room does', () => {
    const limit = new AnnouncedLimit();
    limit.told(50, 20, { remaining: 5, resetMs: 1000 });
    limit.told(60, 10, { remaining: 3, resetMs: 1000 }); // an earlier request, which the service counted later
    expect([2, 3].map((inFlight) => limit.waitMs(60, inFlight))).toEqual([0, Infinity]);
    limit.told(70, 30, { remaining: 4, resetMs: 990 }); // under way when the last one came
    expect(limit.waitMs(70, 3)).toBe(Infinity);
    limit.told(100, 61, { remaining: 8, resetMs: 1000 }); // sent after it came
    expect([7, 8].map((inFlight) => limit.waitMs(100, inFlight))).toEqual([0, Infinity]);
  });

  it('sends one request after a reset, and as many as there was ever room for if some was left', () => {
    const limit = new AnnouncedLimit();
    limit.told(0, 0, { remaining: 4, resetMs: 1000 });
    expect([0, 4, 5].map((inFlight) => limit.waitMs(1000, inFlight))).toEqual([0, 0, Infinity]);
    limit.told(500, 400, { remaining: 0, resetMs: 500 });
    expect([0, 1].map((inFlight) => limit.waitMs(1000, inFlight))).toEqual([0, Infinity]);
    limit.succeeded(1100, 1001); // and it says no more of a limit
    expect(limit.waitMs(1100, 100)).toBe(0);
  });

  it('keeps to a number of requests in a time if nothing is said about what remains', () => {
    const limit = new AnnouncedLimit();
    limit.told(0, 0, { requests: 10, perMs: 1000 });
    limit.started(0);
    expect(limit.waitMs(30, 1)).toBeCloseTo(70.6);
    limit.told(30, 0, { requests: 10, perMs: 1000 });
    expect(limit.waitMs(30, 1)).toBeCloseTo(70.6);
    limit.told(30, 0, { remaining: 4, resetMs: 1000 });
    limit.started(100);
    expect(limit.waitMs(100, 1)).toBe(0);
  });

  it('counts what was sent in that time before the service said so', () => {
    const limit = new AnnouncedLimit();
    for (let n = 0; n < 3; n++) limit.started(n);
    for (let n = 0; n < 2; n++) limit.started(3);
    limit.told(30, 0, { requests: 10, perMs: 1000 });
    expect(limit.waitMs(30, 5)).toBeCloseTo(503); // five of ten are used, and the next ones come evenly
    const other = new AnnouncedLimit();
    for (let n = 0; n < 3; n++) other.started(n);
    other.told(2000, 1999, { requests: 10, perMs: 1000 });
    expect(other.waitMs(2000, 0)).toBe(0);
  });

  it('is dropped when the service refuses in spite of it', () => {
    const limit = new AnnouncedLimit();
    limit.told(0, 0, { remaining: 10, resetMs: 10_000 });
    for (let n = 0; n < 3; n++) {
      expect(limit.waitMs(0, 10)).toBe(Infinity);
      limit.refused(10, 2);
    }
    expect(limit.waitMs(0, 10)).toBe(0);
  });

  it('is dropped when the service keeps responding although nothing was left', () => {
    const limit = new AnnouncedLimit();
    for (let n = 0; n < 4; n++) {
      limit.told(n, n, { remaining: 0, resetMs: 30_000 });
      limit.succeeded(n, n);
    }
    expect(limit.waitMs(10, 0)).toBe(0);
  });

  it('is trusted if several responses arrive before the first of them is read', () => {
    const limit = new AnnouncedLimit();
    for (const remaining of [3, 2, 1, 0]) limit.told(10, 0, { remaining, resetMs: 10_000 });
    for (let n = 0; n < 4; n++) limit.succeeded(10, 0);
    expect(limit.waitMs(10, 0)).toBe(10_000);
  });

  it('is trusted for a bucket that is empty after each request', () => {
    const limit = new AnnouncedLimit();
    for (let at = 0; at < 2000; at += 200) {
      limit.told(at, at, { remaining: 0, resetMs: 200 });
      limit.succeeded(at, at);
    }
    expect(limit.waitMs(1800, 0)).toBe(200);
  });

  it('counts a remainder down without a reset, and sends one request when nothing is left', () => {
    const limit = new AnnouncedLimit();
    limit.told(0, 0, { remaining: 3 });
    expect([2, 3].map((inFlight) => limit.waitMs(1, inFlight))).toEqual([0, Infinity]);
    limit.told(10, 5, { remaining: 0 });
    expect([0, 1].map((inFlight) => limit.waitMs(10, inFlight))).toEqual([0, Infinity]);
    expect(limit.pausedUntil).toBe(-Infinity);
    limit.refused(20, 1); // as it said
    limit.told(30, 25, { remaining: 20 }); // the count has begun again
    expect(limit.waitMs(30, 19)).toBe(0);
  });

  it('no longer trusts a remainder of nothing that is followed by responses', () => {
    const limit = new AnnouncedLimit();
    for (let n = 0; n < 5; n++) {
      expect(limit.waitMs(n, 1)).toBe(n < 4 && n > 0 ? Infinity : 0);
      limit.told(n, n, { remaining: 0 });
      limit.succeeded(n, n);
    }
    expect(limit.waitMs(9, 100)).toBe(0);
  });
});
