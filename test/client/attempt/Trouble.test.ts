import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/client/Clock.ts';
import { EventHub } from '../../../src/client/events/clientEvents.ts';
import { seeded } from '../../files/seeded.ts';
import { Trouble } from '../../../src/client/attempt/Trouble.ts';

type Step = ['fails' | 'is refused' | 'succeeds', number, 'begun' | 'tooLong' | 'over' | undefined];

const failures = {
  fails: { kind: 'network', error: 'NetworkError', what: '' },
  'is refused': { kind: 'throttled', error: 'RateLimitError', what: '' },
  succeeds: undefined,
} as const;

/** An outage that is too long after 100 ms. Returns what it tells of each outcome; `lasted` gets for how long it has been. */
function watched(lasted: unknown[] = []): (what: Step[0], at: number, query: number) => string | undefined {
  const clock = { ...systemClock, now: () => now };
  const events = new EventHub();
  let now = 0;
  let told: string | undefined;
  events.stream.subscribe((event) => {
    if (event.type !== 'outage') return;
    told = event.state;
    lasted.push(event.lastedMs);
  });
  const trouble = new Trouble({ clock, outageMs: 100 }, events);
  let hasCome = false;
  return (what, at, query) => {
    now = at;
    told = undefined;
    const [call, failure] = [{ operation: 'search', query: { query } }, failures[what]];
    hasCome ||= failure === undefined;
    if (failure === undefined) trouble.passed(call);
    else trouble.failed(call, failure, hasCome);
    return told;
  };
}

describe('an outage', () => {
  it.each<[string, Step[]]>([
    [
      'begins with the third failure in a row',
      [
        ['fails', 0, undefined],
        ['fails', 10, undefined],
        ['fails', 20, 'begun'],
        ['fails', 30, undefined],
      ],
    ],
    [
      'counts anew after a success',
      [
        ['fails', 0, undefined],
        ['fails', 0, undefined],
        ['succeeds', 0, undefined],
        ['fails', 0, undefined],
        ['fails', 0, undefined],
      ],
    ],
    [
      'is over with the first success',
      [
        ['fails', 0, undefined],
        ['fails', 0, undefined],
        ['fails', 0, 'begun'],
        ['succeeds', 50, 'over'],
        ['succeeds', 60, undefined],
      ],
    ],
    [
      'is too long with the first failure after its limit',
      [
        ['fails', 0, undefined],
        ['fails', 5, undefined],
        ['fails', 5, 'begun'],
        ['fails', 99, undefined],
        ['fails', 100, 'tooLong'],
        ['fails', 101, undefined],
        ['succeeds', 102, 'over'],
      ],
    ],
    [
      'is too long with few failures, too',
      [
        ['fails', 0, undefined],
        ['fails', 400, 'tooLong'],
      ],
    ],
    [
      'does not begin with refusals of the rate, which last too long like others',
      [
        ['is refused', 0, undefined],
        ['is refused', 1, undefined],
        ['is refused', 2, undefined],
        ['is refused', 100, 'tooLong'],
      ],
    ],
  ])('%s', (_, steps) => {
    const watch = watched();
    for (const [query, [what, at, news]] of steps.entries()) expect(watch(what, at, query)).toBe(news);
  });

  it('begins with one call that fails if nothing has come yet', () => {
    const watch = watched();
    expect([1, 1, 1].map((query) => watch('fails', 0, query))).toEqual([undefined, undefined, 'begun']);
  });

  it('does not begin later while one call alone fails', () => {
    const watch = watched();
    watch('succeeds', 0, 1);
    expect([1, 1, 1, 1, 1, 2].map((query) => watch('fails', 0, query))).toEqual([...Array<undefined>(5).fill(undefined), 'begun']);
  });

  it('says how long it has lasted', () => {
    const told: unknown[] = [];
    const watch = watched(told);
    for (const at of [10, 20, 30, 120]) watch('fails', at, at);
    watch('succeeds', 150, 0);
    expect(told).toEqual([20, 110, 140]);
  });
});

const anyCall = { operation: 'search', query: {} };
const made = (): Trouble => new Trouble({ clock: systemClock, outageMs: 100 }, new EventHub());

function run(signs: Trouble, outcomes: string): string {
  let said = '';
  for (const outcome of outcomes) {
    if (outcome === '.') signs.passed(anyCall);
    else said += signs.isOverload() ? 'S' : '-';
  }
  return said;
}

describe('signs of overload', () => {
  it('ignores a failure now and then', () => {
    expect(run(made(), 'x....x....x.x....x')).toBe('-----');
  });

  it('counts the fifth failure of ten as a sign', () => {
    expect(run(made(), 'xxxxx')).toBe('----S');
    expect(run(made(), 'x.x.x.x.x')).toBe('----S');
    expect(run(made(), 'x..x..x..xx..x')).toBe('------');
  });

  it('finds few where one in twenty fails at random', () => {
    const random = seeded(3);
    const outcomes = (): string => Array.from({ length: 5000 }, () => (random() < 0.05 ? 'x' : '.')).join('');
    const signs = Array.from({ length: 20 }, () => run(made(), outcomes()).replaceAll('-', '').length);
    expect(signs.reduce((sum, one) => sum + one, 0)).toBeLessThan(30);
  });

  it('counts a failure alone once slowing down has stopped them, and the next one after twice as many successes', () => {
    const signs = made();
    run(signs, 'xxxxx');
    expect(run(signs, `${'.'.repeat(20)}x${'.'.repeat(40)}x${'.'.repeat(80)}x`)).toBe('SSS');
  });

  it('stops counting them when they occur anyway', () => {
    const signs = made();
    run(signs, 'xxxxx');
    expect(run(signs, `${'.'.repeat(20)}x`.repeat(10))).toBe('S---------');
  });

  it('begins anew after several in a row', () => {
    const signs = made();
    run(signs, `xxxxx${`${'.'.repeat(20)}x`.repeat(10)}`);
    expect(run(signs, `xxxx${'.'.repeat(20)}x`)).toBe('---SS');
  });
});

describe('what is left for retries', () => {
  it('is empty after a hundred retries, and refills by one per page', () => {
    const quota = made();
    quota.passed(anyCall);
    for (let n = 0; n < 100; n++) quota.take(5);
    expect(quota.tokens).toBe(0);
    for (let n = 0; n < 5; n++) quota.passed(anyCall);
    expect(quota.tokens).toBe(5);
  });
});
