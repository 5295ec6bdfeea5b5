import { describe, expect, it } from 'vitest';
import { book, describeLimit, limitsOf, periodOf, startBalance, type LedgerEntry, type SpendLimit } from '../../src/ledger/Balance.ts';

const noon = Date.UTC(2026, 10, 27, 12);
const dayMs = 86_400_000;
const entry = (more: Partial<LedgerEntry>): LedgerEntry => ({ at: noon, balance: 'search 1', who: 'me', ...more });
const limited = (...limits: readonly SpendLimit[]) => {
  const balance = startBalance();
  for (const limit of limits) book(balance, entry({ limit }));
  return balance;
};
const ask = (requests: number, price = 0) => ({ ask: { requests, price } });

describe('book', () => {
  it('grants what is asked for without a limit', () => {
    expect(book(startBalance(), entry(ask(100)))).toMatchObject({ requests: 100, day: '2026-11-27', validMs: dayMs / 2 });
  });

  it('grants a small share of what is left, single requests near the limit, and nothing beyond it', () => {
    const balance = limited({ most: 1000, of: 'requests', per: 'month' });
    const grants = Array.from({ length: 400 }, () => book(balance, entry(ask(100))).requests);
    expect(grants[0]).toBe(15);
    expect(grants.indexOf(0)).toBeGreaterThan(100);
    expect(grants.reduce((sum, one) => sum + one, 0)).toBe(1000);
    const { reached } = book(balance, entry(ask(1)));
    expect(reached).toMatchObject({ most: 1000, spent: 1000, until: Date.UTC(2026, 11, 1) });
    expect(describeLimit(reached!)).toBe('1,000 requests a month');
  });

  it.each<[name: string, limit: SpendLimit, flow: string | undefined, granted: number]>([
    ['money', { most: 2.9, of: 'money', per: 'day' }, undefined, 2],
    ['its flow', { most: 3, of: 'requests', per: 'ever', flow: 'coffee' }, 'coffee', 3],
    ['another flow', { most: 3, of: 'requests', per: 'ever', flow: 'coffee' }, 'tea', 50],
  ])('keeps to a limit of %s', (_, limit, flow, granted) => {
    const balance = limited(limit);
    let sum = 0;
    for (let count = 0; count < 50; count++) sum += book(balance, entry({ flow, ...ask(1, 1) })).requests;
    expect(sum).toBe(granted);
  });

  it('counts what was reserved before a limit was set', () => {
    const balance = startBalance();
    book(balance, entry(ask(40)));
    book(balance, entry({ limit: { most: 41, of: 'requests', per: 'week' } }));
    expect(book(balance, entry(ask(10))).requests).toBe(1);
    book(balance, entry({ limit: { most: null, of: 'requests', per: 'week' } }));
    expect(book(balance, entry(ask(10))).requests).toBe(10);
  });

  it('takes back what is left on the same day only', () => {
    const balance = limited({ most: 10, of: 'requests', per: 'day' });
    for (let count = 0; count < 10; count++) book(balance, entry(ask(1, 2)));
    book(balance, entry({ back: { requests: 4, money: 8, day: '2026-11-26' } }));
    expect(limitsOf(balance, undefined)[0]!.spent).toBe(10);
    book(balance, entry({ back: { requests: 4, money: 8, day: '2026-11-27' } }));
    expect(limitsOf(balance, undefined)[0]!.spent).toBe(6);
    const next = book(balance, entry({ at: noon + dayMs, back: { requests: 6, money: 12, day: '2026-11-27' } }));
    expect(next.added).toEqual({ requests: 0, money: 0 });
    expect(limitsOf(balance, undefined)[0]!.spent).toBe(0);
  });

  it('counts money that is owed, also from another day', () => {
    const balance = limited({ most: 10, of: 'money', per: 'month' });
    book(balance, entry({ back: { requests: 0, money: -11, day: '2026-11-01' } }));
    expect(book(balance, entry({ ask: { requests: 1, price: undefined } })).requests).toBe(0);
  });

  it('never goes back in time when a clock does', () => {
    const balance = limited({ most: 1, of: 'requests', per: 'day' });
    expect(book(balance, entry(ask(1))).requests).toBe(1);
    expect(book(balance, entry({ at: noon - 40 * dayMs, ...ask(1) })).requests).toBe(0);
    expect(book(balance, entry({ at: noon + dayMs, ...ask(1) })).requests).toBe(1);
    expect(book(balance, entry(ask(1))).requests).toBe(0);
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
