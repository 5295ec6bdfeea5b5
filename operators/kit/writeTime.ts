import { dayMs } from './days.ts';

/** How a time is written: `2026-01-31T09:00:00Z`, `2026-01-31`, `20260131`, or seconds or milliseconds since 1970. */
export const timeForms = ['dateTime', 'date', 'compactDate', 'seconds', 'ms'] as const;
/** One of them, or a pattern such as `YYYY-MM-DD HH:mm`. */
export type TimeForm = (typeof timeForms)[number] | (string & {});

/** Where each part of a pattern is in `2026-01-31T09:00:00.000Z`. */
const parts: { readonly [part: string]: readonly [from: number, to: number] } = {
  YYYY: [0, 4],
  MM: [5, 7],
  DD: [8, 10],
  HH: [11, 13],
  mm: [14, 16],
  ss: [17, 19],
  SSS: [20, 23],
};
const part = /YYYY|MM|DD|HH|mm|SSS|ss/g;
const days: { readonly [form: string]: string } = { date: 'YYYY-MM-DD', compactDate: 'YYYYMMDD' };
const patternOf = (form: TimeForm): string => days[form] ?? form;

export function isTimeForm(form: unknown): form is TimeForm {
  return typeof form === 'string' && ((timeForms as readonly string[]).includes(form) || form.includes('YYYY'));
}

/** The distance from one value of a form to the next, in milliseconds: at least a second, at most a day. */
export function stepOf(form: TimeForm): number {
  const pattern = patternOf(form);
  if (!pattern.includes('YYYY') || /ss|SSS/.test(pattern)) return 1000;
  return pattern.includes('mm') ? 60_000 : pattern.includes('HH') ? 3_600_000 : dayMs;
}

/** Whether a form says no more of a time than its day. */
export function isDaily(form: TimeForm): boolean {
  return stepOf(form) === dayMs;
}

/** How many steps there are in a day, an hour, a minute and a second, without those that are no longer than one. */
export function timeGrains(stepMs: number): readonly number[] {
  return [dayMs, 3_600_000, 60_000, 1000].filter((grain) => grain > stepMs).map((grain) => grain / stepMs);
}

/** Writes a moment in a form. `shown`: the local time, as if it were UTC (see `shownIn`). Fractions of a second are dropped. */
export function writeTime(at: number, form: TimeForm, shown: number = at): string | number {
  if (form === 'ms') return at;
  if (form === 'seconds') return Math.floor(at / 1000);
  if (form === 'dateTime') return `${new Date(at).toISOString().slice(0, 19)}Z`;
  const text = new Date(shown).toISOString();
  return patternOf(form).replaceAll(part, (name) => text.slice(...parts[name]!));
}

/**
 * Reads a value in a form, as UTC. NaN: it isn't in that form. Without `form`, the value may be a date, or seconds or milliseconds since
 * 1970.
 */
export function readTime(value: unknown, form?: TimeForm): number {
  if (form === undefined || form === 'dateTime') return timeIn(value);
  if (form === 'ms' || form === 'seconds') {
    const count = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    return typeof count !== 'number' ? Number.NaN : form === 'ms' ? count : count * 1000;
  }
  let shown = '1970-01-01T00:00:00.000';
  const names: string[] = [];
  const escaped = patternOf(form).replaceAll(/[^\w\s]/g, '\\$&');
  const pattern = escaped.replaceAll(part, (name) => (names.push(name), `(\\d{${name.length}})`));
  const [, ...found] =
    new RegExp(`^${pattern}$`).exec(typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '') ?? [];
  if (found.length === 0) return Number.NaN;
  for (const [at, name] of names.entries()) shown = shown.slice(0, parts[name]![0]) + found[at]! + shown.slice(parts[name]![1]);
  const time = Date.parse(`${shown}Z`);
  return writeTime(time || 0, form) === String(value) ? time : Number.NaN; // 30 February would be in March
}

/** The local time of a zone at a moment, as if it were UTC: at 09:00Z, Vienna in winter gives the moment 10:00Z. */
export function shownIn(zone: string, at: number): number {
  if (zone === 'UTC') return at;
  const found = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const read = (type: string): number => Number(found.find((one) => one.type === type)!.value);
  return Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
}

/** The reverse of `shownIn`. */
export function momentIn(zone: string, shown: number): number {
  const guess = shown - (shownIn(zone, shown) - shown);
  return shown - (shownIn(zone, guess) - guess);
}

/** A time with the offset of its zone: `2026-01-31T10:00:00+01:00`. */
export function isoTime(at: number, zone: string = 'UTC'): string {
  const ahead = Math.round((shownIn(zone, Math.floor(at / 1000) * 1000) - Math.floor(at / 1000) * 1000) / 60_000);
  if (ahead === 0) return String(writeTime(at, 'dateTime'));
  const size = Math.abs(ahead);
  const clock = [Math.floor(size / 60), size % 60].map((one) => String(one).padStart(2, '0')).join(':');
  return `${new Date(at + ahead * 60_000).toISOString().slice(0, 19)}${ahead < 0 ? '-' : '+'}${clock}`;
}

const iso = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|([+-])(\d\d):(\d\d)))?$/;

/** A time that is given: a day, or a date with time and zone. */
interface GivenTime {
  /** The moment, or the beginning of the day. */
  readonly at: number;
  /** The local time as written, as if it were UTC. */
  readonly shown: number;
  readonly isDay: boolean;
}

/** Reads a day or a date with time and zone. undefined: it is none. */
export function givenTime(text: unknown): GivenTime | undefined {
  if (typeof text !== 'string') return undefined;
  const found = iso.exec(text);
  const at = Date.parse(text);
  if (found === null || Number.isNaN(at) || new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().slice(0, 10) !== text.slice(0, 10))
    return undefined;
  const [, sign, hours = '0', minutes = '0'] = found;
  const aheadMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { at, shown: at + aheadMs, isDay: text.length === 10 };
}

/** The end of a given time: a day ends when the next one begins. */
export function endOfTime({ at, isDay }: GivenTime): number {
  return isDay ? at + dayMs : at;
}

/** Seconds or milliseconds since 1970, as text. Other digits may be a year or a day. */
const epoch = /^(?:\d{9,10}(?:\.\d+)?|\d{13})$/;
/**
 * Digits that are a day, with or without the time: 20240209, 2024020900. They are not read as seconds since
 * 1970, which would be a time in 2030 to 2034.
 */
const compact = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-4])(?:[0-5]\d){0,2})?$/;

/** A date, or seconds or milliseconds since 1970, as milliseconds since 1970. NaN: it is none of these. */
export function timeIn(value: unknown): number {
  if (typeof value === 'number') return compact.test(String(value)) ? Number.NaN : Math.abs(value) < 1e11 ? value * 1000 : value;
  if (value instanceof Date) return value.getTime();
  if (typeof value !== 'string' || !/\d{4}/.test(value) || compact.test(value)) return Number.NaN;
  return epoch.test(value) ? timeIn(Number(value)) : Date.parse(value);
}
