import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  applyEntry,
  describeLimit,
  limitsOf,
  periodOf,
  startBalance,
  type LedgerEntry,
  type Settled,
  type SpendLimit,
} from '../../src/ledger/Balance.ts';
import { billionths, moneyText } from '../../src/ledger/money.ts';

const noon = Date.UTC(2026, 10, 27, 12);
const dayMs = 86_400_000;
const entry = (more: Partial<LedgerEntry>): LedgerEntry => ({ id: 'me.1', at: noon, balance: 'search 1', who: 'me', ...more });
const limited = (...limits: readonly SpendLimit[]) => {
  const balance = startBalance();
  for (const limit of limits) applyEntry(balance, entry({ limit }));
  return balance;
};
const ask = (requests: number, price = 0) => ({ ask: { requests, price: billionths(price) } });
const back = (requests: number, money: number, day: string, more: Partial<Settled> = {}) => ({
  settled: { day, requests, money: billionths(money), owed: 0n, spent: [], ...more },
});

describe('applyEntry', () => {
  it('grants what is asked for without a limit', () => {
    expect(applyEntry(startBalance(), entry(ask(100)))).toMatchObject({ requests: 100, day: '2026-11-27', validMs: dayMs / 2 });
  });

  it('grants a small share of what is left, single requests near the limit, and nothing beyond it', () => {
    const balance = limited({ most: 1000n, of: 'requests', per: 'month' });
    const grants = Array.from({ length: 400 }, () => applyEntry(balance, entry(ask(100))).requests);
    expect(grants[0]).toBe(15);
    expect(grants.indexOf(0)).toBeGreaterThan(100);
    expect(grants.reduce((sum, one) => sum + one, 0)).toBe(1000);
    const { refused } = applyEntry(balance, entry(ask(1)));
    expect(refused).toMatchObject({ most: 1000n, spent: 1000n, until: Date.UTC(2026, 11, 1) });
    expect(describeLimit(refused as SpendLimit)).toBe('1,000 requests a month');
  });

  it.each<[name: string, limit: SpendLimit, flow: string | undefined, granted: number]>([
    ['money', { most: billionths(2.9), of: 'money', per: 'day' }, undefined, 2],
    ['its flow', { most: 3n, of: 'requests', per: 'ever', flow: 'coffee' }, 'coffee', 3],
    ['another flow', { most: 3n, of: 'requests', per: 'ever', flow: 'coffee' }, 'tea', 50],
  ])('keeps to a limit of %s', (_, limit, flow, granted) => {
    const balance = limited(limit);
    let sum = 0;
    for (let count = 0; count < 50; count++) sum += applyEntry(balance, entry({ flow, ...ask(1, 1) })).requests;
    expect(sum).toBe(granted);
  });

  it('counts what was reserved before a limit was set', () => {
    const balance = startBalance();
    applyEntry(balance, entry(ask(40)));
    applyEntry(balance, entry({ limit: { most: 41n, of: 'requests', per: 'week' } }));
    expect(applyEntry(balance, entry(ask(10))).requests).toBe(1);
    applyEntry(balance, entry({ limit: { most: null, of: 'requests', per: 'week' } }));
    expect(applyEntry(balance, entry(ask(10))).requests).toBe(10);
  });

  it('takes back what is left, in each period that it was taken from', () => {
    const balance = limited({ most: 10n, of: 'requests', per: 'day' }, { most: 100n, of: 'requests', per: 'month' });
    const spent = () => limitsOf(balance, undefined).map((limit) => Number(limit.spent));
    for (let count = 0; count < 10; count++) applyEntry(balance, entry(ask(1, 2)));
    applyEntry(balance, entry(back(4, 8, '2026-11-27')));
    expect(spent()).toEqual([6, 6]);
    applyEntry(balance, entry({ at: noon + dayMs, ...back(2, 4, '2026-11-27') }));
    expect(spent()).toEqual([0, 4]);
    applyEntry(balance, entry({ at: noon + 4 * dayMs, ...back(4, 8, '2026-11-27') }));
    expect(spent()).toEqual([0, 0]);
    expect(balance.reserved).toBe(0);
  });

  it('counts money that is owed, also from another day', () => {
    const balance = limited({ most: billionths(10), of: 'money', per: 'month' });
    applyEntry(balance, entry(back(0, 0, '2026-11-01', { owed: billionths(11) })));
    expect(applyEntry(balance, entry({ ask: { requests: 1 } })).requests).toBe(0);
  });

  it('lets one request go at a time while nobody knows its price', () => {
    const balance = limited({ most: billionths(10), of: 'money', per: 'month' });
    expect(applyEntry(balance, entry({ ask: { requests: 500 } })).requests).toBe(1);
    expect(applyEntry(startBalance(), entry({ ask: { requests: 500 } })).requests).toBe(500);
  });

  it('grants nothing smaller than a request, and never more than the limit, at any price', () => {
    const price = fc.double({ min: 1e-10, max: 20, noNaN: true });
    const grants = (price: number, most: number, requests: number): boolean => {
      const balance = limited({ most: billionths(most), of: 'money', per: 'ever' });
      for (let count = 0; count < 200; count++) {
        const { requests: got, refused } = applyEntry(balance, entry(ask(requests, price)));
        const [{ spent, most: limit }] = limitsOf(balance, undefined) as [ReturnType<typeof limitsOf>[number]];
        if (spent > limit || got > 0 !== (refused === undefined)) return false;
        if (got === 0) return limit - spent < billionths(price);
      }
      return true;
    };
    const most = fc.double({ min: 0, max: 50, noNaN: true });
    expect(() => fc.assert(fc.property(price, most, fc.integer({ min: 1, max: 600 }), grants))).not.toThrow();
  });

  it('never goes back in time when a clock does', () => {
    const balance = limited({ most: 1n, of: 'requests', per: 'day' });
    expect(applyEntry(balance, entry(ask(1))).requests).toBe(1);
    expect(applyEntry(balance, entry({ at: noon - 40 * dayMs, ...ask(1) })).requests).toBe(0);
    expect(applyEntry(balance, entry({ at: noon + dayMs, ...ask(1) })).requests).toBe(1);
    expect(applyEntry(balance, entry(ask(1))).requests).toBe(0);
  });
});

describe('money', () => {
  it.each([
    ['0', 0n],
    ['0.1', 100_000_000n],
    ['20', 20_000_000_000n],
    [10 / 3000, 3_333_334n],
    [1e-10, 1n],
    [1.5e-7, 150n],
    [1e21, 10n ** 30n],
  ])('of %s is rounded up to billionths', (sum, billions) => expect(billionths(sum)).toBe(billions));

  it('is text again', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (sum) => billionths(moneyText(sum)) === sum));
    expect(moneyText(billionths('0.50'))).toBe('0.5');
  });
});

describe('periodOf', () => {
  it.each([
    ['day', '2026-11-29', '2026-11-30'],
    ['week', '2026-11-23', '2026-11-30'],
    ['month', '2026-11-01', '2026-12-01'],
    ['ever', '1970-01-01', undefined],
  ] as const)('of a %s begins and ends in UTC', (per, since, until) => {
    const sunday = Date.UTC(2026, 10, 29, 23, 59);
    expect(periodOf(per, sunday)).toEqual({ since, until: until && Date.parse(until) });
  });
});
