import { compactDay, dayMs, dayText, isDay } from './days.ts';

/**
 * The day that many days later: the end of a stay. Days as `2020-01-31` and as `20200131` keep their form.
 *
 * @example
 * dayAfter('2026-12-30', 3) // '2027-01-02'
 */
export function dayAfter(day: string, days: number): string {
  const later = laterDay(day, days);
  if (later === undefined) throw new RangeError(`dayAfter: day must be a day such as 2020-01-31, not '${day}'`);
  return later;
}

/** The same. undefined: it isn't a day. */
export function laterDay(day: unknown, days: number): string | undefined {
  const isCompact = typeof day === 'string' && /^\d{8}$/.test(day);
  const plain = isCompact ? day.replace(/^(\d{4})(\d\d)/, '$1-$2-') : day;
  if (!isDay(plain)) return undefined;
  const later = dayText(Date.parse(plain) + days * dayMs);
  return isCompact ? compactDay(later) : later;
}

/** How far one day of a calendar is from the next, in words that follow "must be". */
export const everyWords = "a number of days or weeks such as '1d' or '2w'";
/** What a calendar covers, in words that follow "must be". */
export const daysWords = 'a day such as 2026-12-01, or the first and the last: 2026-12-01/2027-02-28';
/** A longer calendar is a mistake: this is 27 years. */
export const mostDays = 10_000;

/** How many days `1d` or `2w` are. undefined: it says something else. */
export function daysOfEvery(every: unknown): number | undefined {
  const [, count, unit] = (typeof every === 'string' && /^([1-9]\d{0,3})([dw])$/.exec(every)) || [];
  return count === undefined ? undefined : Number(count) * (unit === 'w' ? 7 : 1);
}

/** The days from the first of a calendar up to its last. Throws a RangeError that says what is wrong with it, without its name. */
export function daysIn(days: string, step: number): readonly string[] {
  const [first, last = first, more] = days.split('/');
  if (!isDay(first) || !isDay(last) || more !== undefined) throw new RangeError(`must be ${daysWords}, not '${days}'`);
  if (last < first) throw new RangeError(`must begin with the earlier day, not '${days}'`);
  const [from, to] = [Date.parse(first), Date.parse(last)];
  const count = Math.floor((to - from) / (step * dayMs)) + 1;
  if (count > mostDays) throw new RangeError(`must have at most ${mostDays} days, not ${count}`);
  return Array.from({ length: count }, (_, index) => dayText(from + index * step * dayMs));
}
