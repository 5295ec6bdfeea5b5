import { describe, expect, it } from 'vitest';
import { parseHttpDate, parseRetryAfter } from '../../../src/client/attempt/parseRetryAfter.ts';

const wall = Date.UTC(2026, 0, 1);

describe('parseRetryAfter', () => {
  it.each([
    ['1', 1000],
    ['  120 ', 120_000],
    ['1000000000', 1e12],
    ['2.0', 2000],
    ['1.5', 1500],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 00:00:30 GMT', 30_000],
    ['Thu Jan  1 00:00:30 2026', 30_000],
    ['Thu, 1 Jan 2026 00:00:30 GMT', 30_000],
    ['Fri, 02 Jan 2026 00:00:00 GMT', 86_400_000],
  ])('reads %j', (header, ms) => expect(parseRetryAfter(header, undefined, wall)).toBe(ms));

  it.each([
    '0',
    '-1',
    '1.',
    '.5',
    '1e9',
    '',
    ' ',
    '5 s',
    'soon',
    'NaN',
    'Infinity',
    '0x10',
    '+5',
    '\u00b2',
    'Wed, 31 Dec 2025 23:59:59 GMT',
    'Thu, 01 Jan 2026 00:00:00 GMT',
    'Thu, 45 Jan 2026 00:00:30 GMT',
    'Sun, 29 Feb 2026 00:00:00 GMT',
    '2026-01-01T00:01:00Z',
  ])('takes %j for nothing said', (header) => expect(parseRetryAfter(header, undefined, wall)).toBeUndefined());

  it('ignores an absent header', () => expect(parseRetryAfter(undefined, undefined, wall)).toBeUndefined());

  it.each([
    [['1', '2'], 2000],
    [['soon', '3'], 3000],
    ['5, 7', 7000],
    [['2', 'Thu, 01 Jan 2026 00:00:30 GMT'], 30_000],
    ['2, Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ])('takes the longest of %j', (header, ms) => expect(parseRetryAfter(header, undefined, wall)).toBe(ms));

  it("reads a date against the response's own, however wrong our clock is", () => {
    const [date, at] = ['Thu, 01 Jan 2026 00:10:00 GMT', 'Thu, 01 Jan 2026 00:10:03 GMT'];
    expect(parseRetryAfter(at, date, wall)).toBe(3000);
    expect(parseRetryAfter(at, [date], wall + 86_400_000)).toBe(3000);
    expect(parseRetryAfter(at, 'nonsense', wall)).toBe(603_000);
  });
});

// As undici's and urllib3's own suites have them.
describe('parseHttpDate', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sunday, 06-Nov-94 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sun Nov  6 08:49:37 1994', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sun Nov 16 08:49:37 1994', Date.UTC(1994, 10, 16, 8, 49, 37)],
    ['Mon, 03 Jun 2019 11:30:12 GMT', Date.UTC(2019, 5, 3, 11, 30, 12)],
    ['Monday, 03-Jun-19 11:30:12 GMT', Date.UTC(2019, 5, 3, 11, 30, 12)],
    ['Mon Jun  3 11:30:12 2019', Date.UTC(2019, 5, 3, 11, 30, 12)],
    ['Mon, 3 Jun 2019 12:00:00 UTC', Date.UTC(2019, 5, 3, 12)],
    ['sun, 06 nov 1994 08:49:37 gmt', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Thu, 29 Feb 2024 00:00:00 GMT', Date.UTC(2024, 1, 29)],
    ['Sat, 31 Dec 2016 23:59:60 GMT', Date.UTC(2016, 11, 31, 23, 59, 59)],
    ['Wednesday, 01-Jan-76 00:00:00 GMT', Date.UTC(2076, 0, 1)],
    ['Saturday, 01-Jan-77 00:00:00 GMT', Date.UTC(1977, 0, 1)],
  ])('reads %j', (text, ms) => expect(parseHttpDate(text, wall)).toBe(ms));

  it.each([
    '',
    'Sun, 06 Nov 1994',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 PST',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 94 08:49:37 GMT',
    'Son, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nev 1994 08:49:37 GMT',
    'Sun, 06  Nov 1994 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Sun, 31 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:37 GMT',
    'Sun, 06 Nov 1994 08:49:61 GMT',
    'Wed, 29 Feb 2023 00:00:00 GMT',
    'Thu, 29 Feb 1900 00:00:00 GMT',
    'Sun, 06-Nov-94 08:49:37 GMT',
    'Sunday, 06-Nov-1994 08:49:37 GMT',
    'Sun Nov 6 08:49:37 1994',
    'Sun Nov  6 08:49:37 94',
    'Sun Feb 29 08:49:37 2023',
    '1994-11-06T08:49:37Z',
  ])('refuses %j', (text) => expect(parseHttpDate(text, wall)).toBeUndefined());
});
