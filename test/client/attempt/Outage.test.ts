import { describe, expect, it } from 'vitest';
import { Outage } from '../../../src/client/attempt/Outage.ts';

type Step = ['fails' | 'is refused' | 'succeeds', number, 'begun' | 'tooLong' | 'over' | undefined];

describe('Outage', () => {
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
    const outage = new Outage(100);
    for (const [call, [what, at, news]] of steps.entries()) {
      expect(what === 'succeeds' ? outage.succeeded() : outage.failed(at, what === 'is refused', String(call))).toBe(news);
    }
  });

  it('does not begin while one call alone fails', () => {
    const outage = new Outage(100);
    expect([1, 1, 1, 1, 1, 2].map((call) => outage.failed(0, false, String(call)))).toEqual([
      ...Array<undefined>(5).fill(undefined),
      'begun',
    ]);
  });

  it('says how long it has lasted', () => {
    const outage = new Outage(100);
    expect(outage.lastedMs(50)).toBe(0);
    outage.failed(10, false, 'a');
    expect(outage.lastedMs(50)).toBe(40);
    outage.succeeded();
    expect(outage.lastedMs(60)).toBe(0);
  });
});
