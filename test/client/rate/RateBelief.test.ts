import { describe, expect, it } from 'vitest';
import { RateBelief, RateEstimate, RateProbe, type RefusalPeriod, RequestWindow } from '../../../src/client/rate/RateBelief.ts';

/** `count` successes at even distances in `ms`, refused at their end. */
function period(count: number, ms: number, more: Partial<RefusalPeriod> = {}): RefusalPeriod {
  const estimate = new RateEstimate();
  for (let n = 0; n < count; n++) {
    estimate.succeeded((n * ms) / count);
    estimate.usedMs += ms / count;
  }
  return { estimate, refusedAt: ms, silentMs: 0, retryAfterMs: undefined, refusals: 1, strained: false, outage: false, ...more };
}

/** The probe, with its hold used up. */
function held(probe: RateProbe): RateProbe {
  probe.usedMs += 1001;
  return probe;
}

describe('RateBelief', () => {
  it('treats the first burst as all that the service gives until it responds again', () => {
    const first = new RateBelief().next(period(21, 100, { silentMs: 900 }), undefined);
    expect(first.level).toBeCloseTo(0.99 * 20);
    expect(held(held(first)).rate).toBeGreaterThan(40); // and soon looks for more
  });

  it('takes no more than a second for a window, if the silence was short', () => {
    expect(new RateBelief().next(period(51, 50, { silentMs: 50 }), undefined).level).toBeCloseTo(0.99 * 50);
  });

  it('keeps the rate of a window as long as the window explains the refusals', () => {
    const belief = new RateBelief();
    const first = belief.next(period(21, 50, { silentMs: 1950 }), undefined); // 20 in 2 s
    const starts = Array.from({ length: 20 }, (_, n) => 2000 + 95 * n);
    for (const at of starts) belief.started(at);
    const rising = period(20, 1900, { refusedAt: 3950, silentMs: 60 });
    expect(belief.next(rising, held(held(held(first)))).level).toBeCloseTo(0.99 * 10);
  });

  it('measures the rate once the window is disproved', () => {
    const belief = new RateBelief();
    const first = held(belief.next(period(21, 1000), undefined));
    for (let n = 0; n < 300; n++) belief.started(1000 + 10 * n);
    const rate = belief.next(period(300, 3000, { refusedAt: 4000 }), held(held(held(first)))).level;
    expect(rate).toBeGreaterThan(90);
  });

  describe('after an outage', () => {
    const outage = { silentMs: 2000, refusals: 5, strained: true, outage: true };
    const afterRefusal = (strained: boolean): [RateBelief, RateProbe] => {
      const belief = new RateBelief();
      return [belief, held(belief.next(period(3, 4, { silentMs: 1000, strained }), undefined))];
    };

    it('goes on with the rate on trial, where the service says when it refuses', () => {
      const [belief, probe] = afterRefusal(false);
      const { rate } = probe;
      expect(belief.next(period(6, 2000, outage), probe)).toBe(probe);
      expect(probe.rate).toBe(rate);
    });

    it.each([
      ['where failures may be refusals', true, outage],
      ['where only some requests failed', false, { ...outage, outage: false }],
    ])('measures the rate %s', (_, strained, more) => {
      const [belief, probe] = afterRefusal(strained);
      expect(belief.next(period(6, 2000, more), probe)).not.toBe(probe);
    });
  });

  it('holds a rate the longer, the longer it was measured', () => {
    const holds = [1000, 4000].map((ms) => {
      const belief = new RateBelief();
      const next = belief.next(period((20 * ms) / 1000, ms), held(belief.next(period(20, 1000), undefined)));
      let usedMs = 0;
      for (; next.early; usedMs += 100) next.usedMs += 100;
      return usedMs;
    });
    expect(holds).toEqual([2100, 8100]);
  });
});

/** Successes at even distances from `from` to `to`. */
function even(estimate: RateEstimate, from: number, to: number, perSecond: number): void {
  const intervalMs = 1000 / perSecond;
  for (let at = from; at < to; at += intervalMs) {
    estimate.succeeded(at);
    estimate.usedMs += intervalMs;
  }
}

describe('RateEstimate', () => {
  it('divides successes by the time they took', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 5000, 20);
    expect(estimate.rate(5000, 0, Infinity)).toBeCloseTo(20);
  });

  it('counts silence as part of the period', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 1000, 100);
    expect(estimate.rate(1000, 4000, Infinity)).toBeCloseTo(20);
  });

  it('does not count idle time', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 1000, 20);
    even(estimate, 60_000, 61_000, 20);
    expect(estimate.rate(61_000, 0, Infinity)).toBeCloseTo(20);
  });

  it('finds the rate of a small bucket at the end of a period in which too little was sent', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 10_000, 5); // a bucket of 4, filled 20 times a second, is full all the time
    even(estimate, 10_000, 14_000, 21); // and empty after these
    const low = estimate.rate(14_000, 0, 4);
    expect(low).toBeGreaterThan(19.5);
    expect(low).toBeLessThan(20.5);
  });

  it('drops half of its samples instead of growing, with the same result', () => {
    const estimate = new RateEstimate();
    even(estimate, 0, 200_000, 5);
    even(estimate, 200_000, 260_000, 100);
    const low = estimate.rate(260_000, 0, 50);
    expect(low).toBeGreaterThan(97);
    expect(low).toBeLessThanOrEqual(101);
  });

  it('gives a rate even without any success', () => {
    expect(new RateEstimate().rate(0, 0, Infinity)).toBeGreaterThan(0);
  });

  it('finds what was saved up in any part of the period, and leaves a standstill of the client out', () => {
    const estimate = new RateEstimate();
    for (const at of [0, 1, 2, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1200]) estimate.succeeded(at);
    expect(estimate.beyond(20, 1010)).toBeCloseTo(9.8); // ten at once; 13 in a second would be none
    expect(estimate.beyond(1000, 1010)).toBe(1);
  });
});

const options = { level: 10, holdMs: 4000, growMs: 2000, strained: false };
const rateAfter = (usedMs: number): number => {
  const probe = new RateProbe(options);
  probe.usedMs += usedMs;
  return probe.rate;
};

describe('RateProbe', () => {
  it('holds its level, then grows ever faster', () => {
    expect([0, 2000, 4000].map((ms) => rateAfter(ms))).toEqual([10, 10, 10]);
    expect(rateAfter(5000)).toBeCloseTo(11.55);
    expect(rateAfter(6000)).toBeCloseTo(20.6);
    expect(rateAfter(8000)).toBeCloseTo(91.2);
  });

  it('says whether a higher rate was tried', () => {
    const probe = new RateProbe(options);
    probe.usedMs += 4000;
    expect(probe.early).toBe(true);
    probe.usedMs += 1;
    expect(probe.early).toBe(false);
  });

  it("doesn't change while it isn't used", () => {
    expect(new RateProbe({ ...options, holdMs: 0 }).rate).toBe(10);
  });
});

/** 20 requests at even distances in `ms`, refused at their end. */
function filled(
  window: RequestWindow,
  ms: number,
  more: { readonly silentMs?: number; readonly usedMs?: number; readonly successes?: number } = {},
): RefusalPeriod {
  for (let n = 0; n < 20; n++) window.started((n * ms) / 20);
  const { silentMs = 50, usedMs = ms, successes = 20 } = more;
  const estimate = Object.assign(new RateEstimate(), { usedMs, successes });
  return { estimate, refusedAt: ms, silentMs, retryAfterMs: undefined, refusals: 1, strained: false, outage: false };
}

describe('RequestWindow', () => {
  it('takes the whole seconds of the first burst and its silence for the period', () => {
    expect(new RequestWindow(20, 5300).rate).toBe(4);
    expect(new RequestWindow(20, 300).rate).toBe(20);
  });

  it('takes the time of a full number of requests for the period', () => {
    const window = new RequestWindow(20, 2400);
    expect(window.explains(filled(window, 4970), false)).toBe(true);
    expect(window.rate).toBe(4);
  });

  it('adds the silence if the service counts from the start of a period', () => {
    const window = new RequestWindow(20, 2400);
    expect(window.explains(filled(window, 3500, { silentMs: 1480 }), false)).toBe(true);
    expect(window.rate).toBe(4);
  });

  it("doesn't explain a refusal after fewer requests, or after far more in the period", () => {
    const few = new RequestWindow(20, 1000);
    for (let n = 0; n < 10; n++) few.started(50 * n);
    expect(few.explains({ ...filled(new RequestWindow(20, 1000), 500), refusedAt: 500 }, false)).toBe(false);
    const many = new RequestWindow(20, 1000);
    expect(many.explains(filled(many, 300, { successes: 100, usedMs: 1500 }), false)).toBe(false);
  });

  it('needs five requests to be told from other limits', () => {
    const window = new RequestWindow(4, 1000);
    for (let n = 0; n < 8; n++) window.started(250 * n);
    const refusal = { ...filled(new RequestWindow(20, 1000), 2000), refusedAt: 2000 };
    expect(window.explains(refusal, false)).toBe(false);
  });
});
