import { describe, expect, it } from 'vitest';
import { parseRateLimit, readDeclared } from '../../../src/client/attempt/parseRateLimit.ts';

const wall = Date.UTC(2026, 0, 1);

describe('parseRateLimit', () => {
  it.each<[string, { readonly [name: string]: string }, object]>([
    ['a draft', { ratelimit: '"default";r=50;t=30' }, { remaining: 50, resetMs: 30_000 }],
    ['a draft with its policy', { ratelimit: '"a";r=50;t=30', 'ratelimit-policy': '"a";q=100;w=60' }, { remaining: 50, resetMs: 30_000 }],
    ['the tightest of several', { ratelimit: '"day";r=900;t=3600, "burst";r=3;t=1' }, { remaining: 3, resetMs: 1000 }],
    ['an older draft', { ratelimit: 'limit=100, remaining=50, reset=30' }, { remaining: 50, resetMs: 30_000 }],
    ['a policy alone', { 'ratelimit-policy': '"default";q=100;w=60' }, { requests: 100, perMs: 60_000 }],
    ['an older policy alone', { 'ratelimit-policy': '100;w=10' }, { requests: 100, perMs: 10_000 }],
    ['three headers', { 'ratelimit-limit': '10', 'ratelimit-remaining': '7', 'ratelimit-reset': '2' }, { remaining: 7, resetMs: 2000 }],
    [
      'X, in seconds',
      { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2' },
      { remaining: 0, resetMs: 2000 },
    ],
    ['X, as a time', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(wall / 1000 + 9) }, { remaining: 0, resetMs: 9000 }],
    [
      'X, as a time that has just passed',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(wall - 999) },
      { remaining: 0, resetMs: 0 },
    ],
    ['X, as a time in ms', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(wall + 1500) }, { remaining: 0, resetMs: 1500 }],
    [
      'X, as a date',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': new Date(wall + 9000).toUTCString() },
      { remaining: 0, resetMs: 9000 },
    ],
    [
      'a time against a Date header that our clock differs from',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(wall / 1000 - 3591), date: new Date(wall - 3_600_000).toUTCString() },
      { remaining: 0, resetMs: 9000 },
    ],
    [
      'a time by our clock, which is more exact than a Date header, where they agree',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(wall / 1000 + 9), date: new Date(wall - 2000).toUTCString() },
      { remaining: 0, resetMs: 9000 },
    ],
    ['a month', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(31 * 86_400) }, { remaining: 0, resetMs: 31 * 86_400_000 }],
    [
      'one more hyphen',
      { 'x-rate-limit-limit': '15', 'x-rate-limit-remaining': '3', 'x-rate-limit-reset': String(wall / 1000 + 900) },
      { remaining: 3, resetMs: 900_000 },
    ],
    [
      'a reset after some seconds before the time of the reset',
      { 'x-ratelimit-remaining': '4', 'x-ratelimit-reset': String(wall / 1000 + 9), 'x-ratelimit-reset-after': '1.25' },
      { remaining: 4, resetMs: 1250 },
    ],
    ['a remainder with a fraction', { 'x-ratelimit-remaining': '99.0', 'x-ratelimit-reset': '60' }, { remaining: 99, resetMs: 60_000 }],
    ['a date of ISO 8601', { 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '2026-01-01T00:00:09Z' }, { remaining: 9, resetMs: 9000 }],
    ['a duration', { 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '6m0.5s' }, { remaining: 9, resetMs: 360_500 }],
    ['milliseconds', { 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '250ms' }, { remaining: 9, resetMs: 250 }],
    ['an interval', { 'x-rate-limit-limit': '50', 'x-rate-limit-interval': '1s' }, { requests: 50, perMs: 1000 }],
    ['parts of a second', { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '0.25' }, { remaining: 1, resetMs: 250 }],
  ])('reads %s', (_, headers, news) => expect(parseRateLimit(headers, wall)).toEqual(news));

  it.each<[string, { readonly [name: string]: string }]>([
    ['x-ratelimit-reset', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' }],
    ['x-ratelimit-reset', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(31 * 86_400 + 1) }],
    ['x-ratelimit-reset', { 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': 'soon' }],
    ['ratelimit-reset', { 'ratelimit-remaining': '0', 'ratelimit-reset': '99999999999999999' }],
    ['ratelimit', { ratelimit: 'r=0;t=999999999' }],
  ])('names %s, which cannot be true, in %j', (header, headers) => {
    const ignored: object[] = [];
    expect(parseRateLimit(headers, wall, (name, value) => ignored.push({ name, value }))).toBeUndefined();
    expect(ignored).toEqual([{ name: header, value: headers[header] }]);
  });

  it.each<[string, { readonly [name: string]: string | string[] }]>([
    ['no such header', { 'content-type': 'application/json' }],
    ['a limit alone', { 'x-ratelimit-limit': '10' }],
    ['a time that is over', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(wall / 1000 - 9) }],
    ['words', { 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': 'soon' }],
    ['negative numbers', { 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '5' }],
    ['a policy of nothing', { 'ratelimit-policy': '"a";q=0;w=60' }],
  ])('reads nothing from %s', (_, headers) => expect(parseRateLimit(headers as never, wall)).toBeUndefined());

  it.each([{ 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '5' }, { 'ratelimit-remaining': '5' }, { ratelimit: '"default";r=5' }])(
    'reads what remains where nothing says until when: %j',
    (headers) => expect(parseRateLimit(headers as never, wall)).toEqual({ remaining: 5 }),
  );

  it('reads what remains of a window without a reset, as a service declares it', () => {
    const read = readDeclared({ remaining: 'X-Left' });
    expect(read({ 'x-left': '12' }, 0)).toEqual({ remaining: 12 });
    expect(read({ 'x-left': 'some' }, 0)).toBeUndefined();
    expect(read({}, 0)).toBeUndefined();
  });

  it('prefers a limit that is whole to what remains until nobody knows', () => {
    const headers = { 'x-ratelimit-remaining': '5', 'x-rate-limit-limit': '50', 'x-rate-limit-interval': '1s' };
    expect(parseRateLimit(headers, wall)).toEqual({ requests: 50, perMs: 1000 });
  });
});
