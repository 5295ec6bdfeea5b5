import { describe, expect, it } from 'vitest';
import { RateBelief, type RefusalPeriod, RateEstimate, RateProbe } from '../../../src/client/rate/RateBelief.ts';

const options = { margin: 1, holdMs: 18_000 };

/** `count` successes at even distances in `ms`, refused at their end. */
function period(count: number, ms: number, more: Partial<RefusalPeriod> = {}): RefusalPeriod {
  const estimate = new RateEstimate();
  for (let n = 0; n < count; n++) {
    estimate.succeeded((n * ms) / count);
    estimate.use(ms / count);
  }
  return { estimate, probe: undefined, refusedAt: ms, silentMs: 0, toldMs: undefined, refusals: 1, ...more };
}

/** The probe, with its hold used up. */
function held(probe: RateProbe): RateProbe {
  probe.use(1001);
  return probe;
}

describe('RateBelief', () => {
  it('treats the first burst as all that the service gives until it responds again', () => {
    const first = new RateBelief(options).next(period(21, 100, { silentMs: 900 }));
    expect(first.level).toBeCloseTo(20);
    expect(held(held(first)).rate).toBeGreaterThan(40); // and soon looks for more
  });

  it('stays at a margin below what it measured', () => {
    const belief = new RateBelief({ ...options, margin: 0.9 });
    const first = belief.next(period(21, 1000));
    expect(first.level).toBeCloseTo(18);
  });

  it('takes no more than a second for a window, if the silence was short', () => {
    expect(new RateBelief(options).next(period(51, 50, { silentMs: 50 })).level).toBeCloseTo(50);
  });

  it('keeps the rate of a window as long as the window explains the refusals', () => {
    const belief = new RateBelief(options);
    const first = belief.next(period(21, 50, { silentMs: 1950 })); // 20 in 2 s
    const starts = Array.from({ length: 20 }, (_, n) => 2000 + 95 * n);
    for (const at of starts) belief.started(at);
    const rising = period(20, 1900, { probe: held(held(held(first))), refusedAt: 3950, silentMs: 60 });
    expect(belief.next(rising).level).toBeCloseTo(10);
  });

  it('measures the rate once the window is disproved', () => {
    const belief = new RateBelief(options);
    const first = held(belief.next(period(21, 1000)));
    for (let n = 0; n < 300; n++) belief.started(1000 + 10 * n);
    const rate = belief.next(period(300, 3000, { probe: first, refusedAt: 4000 })).level;
    expect(rate).toBeGreaterThan(90);
  });

  describe('after an outage', () => {
    const outage = { silentMs: 2000, refusals: 5, strained: true, outage: true };
    const afterRefusal = (strained: boolean): [RateBelief, RateProbe] => {
      const belief = new RateBelief(options);
      return [belief, held(belief.next(period(3, 4, { silentMs: 1000, strained })))];
    };

    it('goes on with the rate on trial, where the service says when it refuses', () => {
      const [belief, probe] = afterRefusal(false);
      const { rate } = probe;
      expect(belief.next(period(6, 2000, { probe, ...outage }))).toBe(probe);
      expect(probe.rate).toBe(rate);
    });

    it('does so again after many requests, but measures if the next one comes soon', () => {
      const [belief, probe] = afterRefusal(false);
      belief.next(period(6, 2000, { probe, ...outage }));
      expect(belief.next(period(300, 2000, { probe, ...outage }))).toBe(probe);
      const lower = belief.next(period(6, 2000, { probe, ...outage }));
      expect(lower.level).toBeLessThan(probe.rate);
      expect(belief.next(period(6, 2000, { probe: lower, ...outage }))).toBe(lower);
    });

    it.each([
      ['where failures may be refusals', true, outage],
      ['where only some requests failed', false, { ...outage, outage: false }],
    ])('measures the rate %s', (_, strained, more) => {
      const [belief, probe] = afterRefusal(strained);
      expect(belief.next(period(6, 2000, { probe, ...more }))).not.toBe(probe);
    });
  });

  it('makes up for late requests with a fifth of what a bucket saves up, but not for a window', () => {
    const belief = new RateBelief(options);
    const first = held(belief.next(period(52, 100, { silentMs: 100 })));
    expect(belief.catchUpMs(100)).toBe(5);
    const second = held(belief.next(period(52, 100, { probe: first })));
    belief.next(period(52, 100, { probe: second }));
    expect([belief.catchUpMs(50), belief.catchUpMs(200)]).toEqual([100, 50]);
  });

  it('holds a rate the longer, the longer it was measured', () => {
    const holds = [1000, 4000].map((ms) => {
      const belief = new RateBelief(options);
      const next = belief.next(period((20 * ms) / 1000, ms, { probe: held(belief.next(period(20, 1000))) }));
      let usedMs = 0;
      for (; next.early; usedMs += 100) next.use(100);
      return usedMs;
    });
    expect(holds).toEqual([2100, 8100]);
  });

  it('weighs a short period with what was known before', () => {
    const belief = new RateBelief(options);
    const known = held(belief.next(period(200, 10_000, { probe: held(belief.next(period(20, 1000))) })));
    const next = belief.next(period(2, 200, { probe: known }));
    expect(next.level).toBeGreaterThan(15);
    const fallen = belief.next(period(30, 6000, { probe: known }));
    expect(fallen.level).toBeCloseTo(5);
  });

  it('counts half of a pause in whole seconds, and all of it once that proved too much', () => {
    const belief = new RateBelief(options);
    const first = held(belief.next(period(20, 1000)));
    const optimistic = belief.next(period(95, 9000, { probe: first, silentMs: 1000, toldMs: 1000 }));
    expect(optimistic.level).toBeCloseTo(10);
    const early = belief.next(period(100, 9000, { probe: optimistic, silentMs: 1000, toldMs: 1000 }));
    expect(early.level).toBeLessThan(10.3);
  });

  it('goes half way to the recent rate, and less once that was refused early', () => {
    const rising = (probe: RateProbe): RefusalPeriod => {
      const estimate = new RateEstimate();
      for (let at = 0; at < 30_000; at += at < 20_000 ? 100 : 50) {
        estimate.succeeded(at);
        estimate.use(at < 20_000 ? 100 : 50);
      }
      return { estimate, probe, refusedAt: 30_000, silentMs: 0, toldMs: undefined, refusals: 1 };
    };
    const belief = new RateBelief(options);
    const first = new RateProbe({ level: 20, holdMs: 0, growMs: 1000 });
    belief.next(period(400, 1000)); // so much may be saved up that the end of a period says nothing by itself
    first.use(1);
    const up = belief.next(rising(first)); // 400 in 30 s, and 20 a second at the end
    expect(up.level).toBeGreaterThan(14.5);
    const down = belief.next(rising(up));
    expect(down.level).toBeCloseTo(13.3, 0);
  });

  it('takes the difference of two periods if a rate was refused early twice and each refusal costs a pause', () => {
    const paused = { silentMs: 1000, toldMs: 1000 };
    const belief = new RateBelief(options);
    belief.next(period(4, 100, paused)); // a first burst that hides how much the service saves up
    const of = (level: number) => new RateProbe({ level, holdMs: 60_000, growMs: 1000 });
    belief.next(period(34, 1200, { probe: of(28), ...paused })); // ten saved up, and 20 a second
    expect(belief.next(period(46, 1800, { probe: of(22), ...paused })).level).toBeCloseTo(20, 0);
  });
});
