import { compactDay, dayMs, dayText } from './days.ts';

/** How a service takes times: `2026-01-31T09:00:00Z`, `2026-01-31`, `20260131`, or seconds or milliseconds since 1970. */
export const timeForms = ['dateTime', 'date', 'compactDate', 'seconds', 'ms'] as const;
export type TimeForm = (typeof timeForms)[number];

/** The distance of the values that a form can tell apart. */
export const stepMs: { readonly [form in TimeForm]: number } = { ms: 1, seconds: 1000, dateTime: 1000, date: dayMs, compactDate: dayMs };

/** A moment as a service takes it. A day is that of the time zone; seconds and less than that are dropped. */
export function writeTime(at: number, as: TimeForm, zone: string = 'UTC'): string | number {
  switch (as) {
    case 'ms':
      return at;
    case 'seconds':
      return Math.floor(at / 1000);
    case 'dateTime':
      return `${new Date(at).toISOString().slice(0, 19)}Z`;
    case 'date':
      return dayText(shownIn(zone, at));
    default:
      return compactDay(dayText(shownIn(zone, at)));
  }
}

/** What the clocks of a time zone show at a moment, as the moment at which those of UTC show it. */
export function shownIn(zone: string, at: number): number {
  if (zone === 'UTC') return at;
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const read = (type: string): number => Number(parts.find((part) => part.type === type)!.value);
  return Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
}

/** The moment at which the clocks of a time zone show this. */
export function momentIn(zone: string, shown: number): number {
  const guess = shown - (shownIn(zone, shown) - shown);
  return shown - (shownIn(zone, guess) - guess);
}
