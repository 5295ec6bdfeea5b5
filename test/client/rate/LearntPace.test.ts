import { describe, expect, it } from 'vitest';
import { LearntPace, type LearntPaceOptions } from '../../../src/client/rate/LearntPace.ts';
import type { Pace } from '../../../src/client/rate/Pace.ts';

/** Sends `count` requests as soon as the pace allows; each is answered after 10 ms. The time of the last answer. */
function send(pace: Pace, from: number, count: number, answer: 'ok' | 429 = 'ok'): number {
  let now = from;
  for (let i = 0; i < count; i++) {
    const startedAt = now + pace.waitMs(now);
    pace.started(startedAt);
    now = startedAt + 10;
    if (answer === 'ok') pace.succeeded(now, startedAt);
    else pace.throttled(now, startedAt, undefined);
  }
  return now;
}

describe('LearntPace', () => {
  it('lets everything pass while there was no 429', () => {
    const pace: Pace = new LearntPace();
    expect(send(pace, 0, 1000)).toBe(10_000);
    expect(pace.rate).toBeUndefined();
  });

  it('begins with eight in flight, and goes on from answers or with time', () => {
    const pace: Pace = new LearntPace();
    for (let i = 0; i < 8; i++) {
      expect(pace.waitMs(0)).toBe(0);
      pace.started(0);
    }
    expect(pace.waitMs(0)).toBe(50);
    pace.succeeded(5, 0);
    expect(pace.waitMs(5)).toBe(0);
  });

  it('30 answers of 429 at once: one decrease, not 30', () => {
    const pace: Pace = new LearntPace();
    const now = send(pace, 0, 200);
    for (let i = 0; i < 30; i++) pace.started(now);
    pace.throttled(now + 10, now, undefined);
    const { rate } = pace;
    for (let i = 0; i < 29; i++) pace.throttled(now + 11 + i, now, undefined);
    expect(pace.rate).toBe(rate);
    expect(rate).toBeCloseTo(100 * 0.99 * 0.7, 0);
  });

  it('decreases once in five seconds, and not while nothing succeeds', () => {
    const pace: Pace = new LearntPace();
    let now = send(pace, send(pace, 0, 100), 1, 429);
    now = send(pace, now, 20);
    const early = pace.rate!;
    now = send(pace, now, 1, 429);
    expect(pace.rate).toBeGreaterThanOrEqual(early);
    now = send(pace, now + 5000, 1);
    const before = pace.rate!;
    now = send(pace, now, 1, 429);
    const after = pace.rate!;
    expect(after).toBeLessThan(0.8 * before);
    send(pace, now + 20_000, 1, 429);
    expect(pace.rate).toBeGreaterThanOrEqual(after);
  });

  it('keeps doubling distances while 429s go on, up to ten seconds', () => {
    const pace: Pace = new LearntPace();
    let now = send(pace, 0, 100);
    const waits: number[] = [];
    for (let i = 0; i < 14; i++) {
      now = send(pace, now, 1, 429);
      waits.push(pace.waitMs(now));
    }
    for (let i = 1; i < waits.length; i++) expect(waits[i]).toBeGreaterThan(waits[i - 1]! - 1);
    expect(waits.at(-1)).toBeGreaterThan(10_000);
    expect(waits.at(-1)).toBeLessThan(10_100);
  });

  it('takes no rate from 429s that come before anything else, and knocks at doubling distances from 100 ms', () => {
    const pace: Pace = new LearntPace();
    let now = send(pace, 0, 1, 429);
    for (const wait of [100, 200, 400]) {
      expect(pace.waitMs(now)).toBe(wait);
      now = send(pace, now, 1, 429);
    }
    now = send(pace, now, 1);
    expect([pace.waitMs(now), pace.rate]).toEqual([0, undefined]);
    send(pace, now, 1, 429);
    expect(pace.rate).toBeGreaterThan(0);
  });

  it('takes a long silence for the rest of a window', () => {
    const pace: Pace = new LearntPace();
    const now = send(pace, 0, 300); // all of a minute's 300, in three seconds
    pace.started(now);
    pace.throttled(now + 10, now, 57_000);
    send(pace, 60_010, 1);
    send(pace, 60_500, 30);
    expect(pace.rate).toBeGreaterThan(4.5);
    expect(pace.rate).toBeLessThan(5.1);
  });

  it('takes no pause of the caller for one of the service', () => {
    const pace: Pace = new LearntPace();
    const hour = 3_600_000;
    const now = send(pace, 0, 100); // 100 in a second
    send(pace, send(pace, now + hour, 100), 1, 429);
    expect(pace.rate).toBeGreaterThan(40);
    send(pace, now + 2 * hour, 1);
    expect(pace.rate).toBeGreaterThan(20);
  });

  it('tries for more only where it uses what it has', () => {
    const pace: Pace = new LearntPace();
    let now = send(pace, send(pace, 0, 100), 1, 429);
    for (let i = 0; i < 100; i++) now = send(pace, now + 5000, 1);
    const idle = pace.rate!;
    expect(idle).toBeLessThan(100);
    send(pace, now, 5000);
    expect(pace.rate).toBeGreaterThan(2 * idle);
  });

  it.each([
    [{ firstRequests: 0 }, 'LearntPace: firstRequests must be at least 1, not 0'],
    [{ decrease: 0 }, 'LearntPace: decrease must be above 0 and at most 1, not 0'],
    [{ decreaseEveryMs: NaN }, 'LearntPace: decreaseEveryMs must be above 0 and finite, not NaN'],
    [{ margin: 1.1 }, 'LearntPace: margin must be above 0 and at most 1, not 1.1'],
    [{ holdMs: 0 }, 'LearntPace: holdMs must be above 0, not 0'],
  ] satisfies [LearntPaceOptions, string][])('refuses %o', (options, message) => {
    expect(() => new LearntPace(options)).toThrow(new RangeError(message));
  });
});
