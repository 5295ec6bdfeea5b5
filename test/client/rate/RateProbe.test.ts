import { describe, expect, it } from 'vitest';
import { RateProbe, type RateProbeOptions } from '../../../src/client/rate/RateBelief.ts';

const options: RateProbeOptions = { level: 10, holdMs: 4000, growMs: 2000 };
const rateAfter = (usedMs: number, more: Partial<RateProbeOptions> = {}): number => {
  const probe = new RateProbe({ ...options, ...more });
  probe.use(usedMs);
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
    probe.use(4000);
    expect(probe.early).toBe(true);
    probe.use(1);
    expect(probe.early).toBe(false);
  });

  it('stays below its level while requests are owed', () => {
    expect(rateAfter(999, { owed: 2 })).toBe(8);
    expect(rateAfter(1001, { owed: 2 })).toBe(10); // 8 instead of 10 in a second
  });

  it('stays above its level while saved-up requests are left', () => {
    expect(rateAfter(999, { owed: -5 })).toBe(15);
    expect(rateAfter(1001, { owed: -5 })).toBe(10); // 15 instead of 10 in a second
  });

  it("doesn't change while it isn't used", () => {
    expect(new RateProbe({ ...options, holdMs: 0 }).rate).toBe(10);
  });
});
