import { describe, expect, it } from 'vitest';
import { Alarm } from '../../../src/client/admission/Admission.ts';
import { VirtualClock } from '../../../src/testing/VirtualClock.ts';

describe('Alarm', () => {
  const set = () => {
    const clock = new VirtualClock();
    const rings: number[] = [];
    return { clock, rings, alarm: new Alarm(clock, () => rings.push(clock.now())) };
  };

  it('rings at the earliest of the times it was set to, once', () => {
    const { alarm, clock, rings } = set();
    for (const ms of [500, 300, 400]) alarm.setIn(ms);
    expect(clock.timers).toBe(1);
    clock.advance(1000);
    expect(rings).toEqual([300]);
  });

  it('rings again when it is set again', () => {
    const { alarm, clock, rings } = set();
    alarm.setIn(100);
    clock.advance(100);
    alarm.setIn(200);
    clock.advance(200);
    expect(rings).toEqual([100, 300]);
  });

  it('has no timer for a time that never comes, and none once it is stopped', () => {
    const { alarm, clock } = set();
    alarm.setIn(Infinity);
    expect(clock.timers).toBe(0);
    alarm.setIn(100);
    alarm.stop();
    expect(clock.timers).toBe(0);
  });
});
