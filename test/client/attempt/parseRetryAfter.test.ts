import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/client/attempt/parseRetryAfter.ts';

const wall = Date.UTC(2026, 0, 1);

describe('parseRetryAfter', () => {
  it.each([
    ['1', 1000],
    ['  120 ', 120_000],
    ['1000000000', 1e12],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Fri, 02 Jan 2026 00:00:00 GMT', 86_400_000],
  ])('reads %j', (header, ms) => expect(parseRetryAfter(header, wall)).toBe(ms));

  it.each([
    '0',
    '-1',
    '1.5',
    '1e9',
    '',
    ' ',
    '5 s',
    'soon',
    'NaN',
    'Infinity',
    '0x10',
    '+5',
    'Wed, 31 Dec 2025 23:59:59 GMT',
    'Thu, 01 Jan 2026 00:00:00 GMT',
    'Thu, 45 Jan 2026 00:00:30 GMT',
    '2026-01-01T00:01:00Z',
    'Thursday, 01-Jan-26 00:00:30 GMT',
    'Thu Jan  1 00:00:30 2026',
    'Thu, 1 Jan 2026 00:00:30 GMT',
  ])('takes %j for nothing said', (header) => expect(parseRetryAfter(header, wall)).toBeUndefined());

  it('takes an absent or doubled header for nothing said', () => {
    expect(parseRetryAfter(undefined, wall)).toBeUndefined();
    expect(parseRetryAfter(['1', '2'], wall)).toBeUndefined();
  });
});
