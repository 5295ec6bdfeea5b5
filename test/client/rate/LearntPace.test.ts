import { describe, expect, it } from 'vitest';
import { seeded } from '../../files/seeded.ts';
import { systemClock } from '../../../src/client/Clock.ts';
import { Trouble } from '../../../src/client/attempt/Trouble.ts';
import { EventHub } from '../../../src/client/events/clientEvents.ts';
import { LearntPace } from '../../../src/client/rate/LearntPace.ts';
import type { Pace } from '../../../src/client/rate/Pace.ts';

/** Sends `count` requests one after the other, as soon as the pace allows; each takes 10 ms. The time of the last response. */
function send(pace: Pace, from: number, count: number, response: 'ok' | 429 = 'ok'): number {
  let now = from;
  for (let i = 0; i < count; i++) {
    const startedAt = now + pace.waitMs(now, 0);
    pace.started(startedAt);
    now = startedAt + 10;
    if (response === 'ok') pace.succeeded(now, { startedAt, inFlight: 1 });
    else pace.throttled(now, { startedAt, inFlight: 1 }, undefined);
  }
  return now;
}

describe('LearntPace', () => {
  it('limits nothing before the first refusal', () => {
    const pace: Pace = new LearntPace();
    expect(send(pace, 0, 1000)).toBe(10_000);
    expect(pace.rate).toBeUndefined();
  });

  it('begins with five in flight, and has one more each 50 ms', () => {
    const pace: Pace = new LearntPace();
    for (let i = 0; i < 5; i++) {
      expect(pace.waitMs(0, i)).toBe(0);
      pace.started(0);
    }
    expect(pace.waitMs(0, 5)).toBe(50);
    expect(pace.waitMs(5, 4)).toBe(0);
    expect(pace.waitMs(50, 5)).toBe(0);
    pace.started(50);
    pace.started(60_050); // idle time doesn't count
    expect(pace.waitMs(60_050, 60)).toBe(56 * 50 - 1050);
  });

  it('counts 30 simultaneous 429s as one decrease', () => {
    const rates = [1, 30].map((refused) => {
      const pace: Pace = new LearntPace();
      const now = send(pace, 0, 200);
      for (let i = 0; i < 30; i++) pace.started(now);
      for (let i = 0; i < refused; i++) pace.throttled(now + 10 + i, { startedAt: now, inFlight: 30 }, undefined);
      send(pace, now + 200, 1);
      return pace.rate!;
    });
    expect(rates[1]).toBe(rates[0]);
    expect(rates[0]).toBeGreaterThan(80);
    expect(rates[0]).toBeLessThan(100);
  });

  it('keeps doubling distances while 429s go on, up to ten seconds', () => {
    const pace: Pace = new LearntPace();
    let now = send(pace, 0, 100);
    const waits: number[] = [];
    for (let i = 0; i < 20; i++) {
      now = send(pace, now, 1, 429);
      waits.push(pace.waitMs(now, 0));
    }
    expect(waits.slice(0, 3)).toEqual([100, 200, 400]);
    expect(waits.at(-1)).toBe(10_000);
  });

  it('learns no rate from 429s before the first success', () => {
    const pace: Pace = new LearntPace();
    let now = send(pace, 0, 1, 429);
    for (const wait of [100, 200, 400]) {
      expect(pace.waitMs(now, 0)).toBe(wait);
      now = send(pace, now, 1, 429);
    }
    now = send(pace, now, 1);
    expect([pace.waitMs(now, 0), pace.rate]).toEqual([0, undefined]);
    now = send(pace, now, 1, 429);
    send(pace, now, 1);
    expect(pace.rate).toBeGreaterThan(0);
  });

  it('treats a long silence as the rest of a window', () => {
    const pace: Pace = new LearntPace();
    const now = send(pace, 0, 300); // all of a minute's 300, in three seconds
    pace.started(now);
    pace.throttled(now + 10, { startedAt: now, inFlight: 1 }, 57_000);
    send(pace, 60_010, 1);
    expect(pace.rate).toBeGreaterThan(4.5);
    expect(pace.rate).toBeLessThan(5.1);
  });

  it("doesn't mistake the caller's pause for the service's", () => {
    const pace: Pace = new LearntPace();
    const hour = 3_600_000;
    const now = send(pace, 0, 100); // 100 in a second
    send(pace, send(pace, send(pace, now + hour, 100), 1, 429), 1);
    expect(pace.rate).toBeGreaterThan(40);
  });

  it('tries a higher rate only while the current one is used', () => {
    const pace: Pace = new LearntPace();
    let now = send(pace, send(pace, send(pace, 0, 100), 1, 429), 1);
    const first = pace.rate!;
    for (let i = 0; i < 100; i++) now = send(pace, now + 5000, 1);
    expect(pace.rate).toBe(first);
    for (let i = 0; i < 5000; i++) {
      now += pace.waitMs(now, 0);
      pace.started(now);
    }
    expect(pace.rate).toBeGreaterThan(2 * first);
  });

  it('tries a higher rate although every timer fires late', () => {
    const pace: Pace = new LearntPace();
    let now = send(pace, send(pace, send(pace, 0, 100), 1, 429), 1);
    const first = pace.rate!;
    for (let i = 0; i < 500; i++) {
      now += pace.waitMs(now, 0) + 50;
      pace.waitMs(now, 0);
      pace.started(now);
      pace.succeeded(now, { startedAt: now, inFlight: 1 });
    }
    expect(pace.rate).toBeGreaterThan(2 * first);
  });

  it('waits for a response if the service limits requests in flight', () => {
    const pace: Pace = new LearntPace();
    for (let i = 0; i < 8; i++) {
      pace.waitMs(0, i);
      pace.started(0);
    }
    for (const inFlight of [5, 6, 7, 8]) pace.throttled(2, { startedAt: 0, inFlight }, undefined);
    for (const inFlight of [1, 2, 3, 4]) pace.succeeded(100, { startedAt: 0, inFlight });
    expect(pace.waitMs(200, 3)).toBe(0);
    expect(pace.waitMs(200, 4)).toBe(Infinity);
    expect(pace.rate).toBeUndefined();
  });

  it('counts for a limit in flight what has started, not what it only was asked about', () => {
    const pace: Pace = new LearntPace();
    for (let i = 0; i < 8; i++) {
      pace.waitMs(0, i);
      pace.started(0);
    }
    expect(pace.waitMs(0, 8)).toBeGreaterThan(0);
    for (const inFlight of [5, 6, 7, 8]) pace.throttled(2, { startedAt: 0, inFlight }, undefined);
    for (const inFlight of [1, 2, 3, 4]) pace.succeeded(100, { startedAt: 0, inFlight });
    expect(pace.waitMs(200, 4)).toBe(Infinity);
  });

  // One in flight, a fifth of all requests time out after a second whatever their rate, and the rest take 40 ms.
  it.each([
    ['keeps a request a second where as many fail at any rate', true, [800, 2700]],
    ['goes on slowing down where as many are refused at any rate', false, [10_000, Infinity]],
  ] as const)('%s', (_, strained, [from, to]) => {
    const pace: Pace = new LearntPace();
    const trouble = new Trouble({ clock: systemClock, outageMs: Infinity }, new EventHub());
    const random = seeded(7);
    let now = 0;
    for (let sent = 0; sent < 1500; sent++) {
      const startedAt = now + pace.waitMs(now, 0);
      pace.started(startedAt);
      const fails = sent > 5 && random() < 0.2;
      now = startedAt + (fails ? 1000 : 40);
      const trip = { startedAt, inFlight: 1 };
      if (!fails) {
        trouble.passed({ operation: 'search', query: {} });
        pace.succeeded(now, trip);
      } else if (!strained || trouble.isOverload()) pace.throttled(now, { ...trip, strained }, undefined);
    }
    expect(now / 1000).toBeGreaterThan(from);
    expect(now / 1000).toBeLessThan(to);
  });
});
