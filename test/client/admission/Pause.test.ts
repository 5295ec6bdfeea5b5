import { describe, expect, it } from 'vitest';
import { Pause } from '../../../src/client/admission/LimitGroups.ts';
import { unlimited } from '../../../src/client/rate/choosePaces.ts';
import { VirtualClock } from '../../../src/testing/VirtualClock.ts';

function set(told?: number) {
  const clock = new VirtualClock({ random: () => 0.5 });
  const pace = Object.assign({ ...unlimited }, told === undefined ? {} : { pausedUntil: told });
  return { clock, pause: new Pause({ clock, pace, maxMs: 10_000 }) };
}

describe('Pause', () => {
  it('is none at first', () => {
    const { pause } = set();
    expect([pause.ms, pause.until, pause.tooLongUntil, pause.unannounced()]).toEqual([0, undefined, undefined, undefined]);
  });

  it('is as long as the longest of those taken', () => {
    const { clock, pause } = set();
    pause.take(5000);
    pause.take(1000);
    expect([pause.ms, pause.until]).toEqual([5000, clock.wall() + 5000]);
    clock.advance(5000);
    expect([pause.ms, pause.until]).toEqual([0, undefined]);
  });

  it('that the service asks for gets up to a tenth longer, and no more than a second', () => {
    const [short, long] = [set().pause, set().pause];
    short.require(2000);
    long.require(600_000);
    expect([short.ms, long.ms]).toEqual([2100, 600_500]);
  });

  it('is what the headers say, if that is longer', () => {
    const { pause } = set(8000);
    pause.take(5000);
    expect(pause.ms).toBe(8000);
    pause.take(9000);
    expect(pause.ms).toBe(9000);
  });

  it('is too long only if the service asks for it, without what is added', () => {
    const { clock, pause } = set();
    pause.take(60_000);
    pause.require(10_000);
    expect(pause.tooLongUntil).toBeUndefined();
    pause.require(10_001);
    expect(pause.tooLongUntil).toBe(clock.wall() + 10_001);
    clock.advance(1);
    expect(pause.tooLongUntil).toBeUndefined();
    expect(set(20_000).pause.tooLongUntil).toBe(clock.wall() - 1 + 20_000);
  });

  it('ends with the latest possible date at the latest', () => {
    const { pause } = set();
    pause.require(1e18);
    expect([pause.until, pause.tooLongUntil]).toEqual([8.64e15, 8.64e15]);
  });

  it('is news once, and again when it ends clearly later', () => {
    const { clock, pause } = set();
    pause.take(5000);
    expect([pause.unannounced(), pause.unannounced()]).toEqual([5000, undefined]);
    pause.take(5900);
    expect(pause.unannounced()).toBeUndefined();
    pause.take(6000);
    expect(pause.unannounced()).toBe(6000);
    clock.advance(60_000);
    pause.take(100);
    expect(pause.unannounced()).toBe(100);
  });
});
