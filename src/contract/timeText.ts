import { instead, nearestName } from '../../operators/check/nearestName.ts';
import { dayMs, dayText } from '../../operators/kit/days.ts';
import {
  endOfTime,
  givenTime,
  isDaily,
  isoTime,
  isTimeForm,
  momentIn,
  readTime,
  shownIn,
  stepOf,
  timeForms,
  writeTime,
} from '../../operators/kit/writeTime.ts';

/** The names in a text that stand for a time. */
const timeNames = ['since', 'from', 'to', 'now', 'today'] as const;
type TimeName = (typeof timeNames)[number];

/** A time in a text of a description or of a flow: `${since:seconds}`, `${now-7d}`, `${to+1d:'YYYY-MM-DD'}`. */
export interface TimeText {
  readonly of: TimeName;
  /** What is added to the time: `-7` and the unit `d`. */
  readonly count: number;
  readonly unit: string;
  /** How it is written: a word such as `seconds`, or a pattern in quotes. */
  readonly as: string | undefined;
}

const whole = /^([a-z]+)(?:([+-]\d+)([a-z]+))?(?::(.*))?$/s;
const lengths: { readonly [unit: string]: number } = { s: 1000, min: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs };
const months: { readonly [unit: string]: number } = { m: 1, y: 12 };

/** Reads the time between braces. undefined: it isn't one. */
export function timeText(inside: string): TimeText | undefined {
  const [, name, count = '0', unit = 'd', as] = whole.exec(inside) ?? [];
  const of = timeNames.find((one) => one === name);
  return of && { of, count: Number(count), unit, as };
}

/** Whether a text between braces probably means one of these times, perhaps misspelt. */
export function meansTime(inside: string, names: readonly TimeName[] = timeNames): boolean {
  return nearestName(/^\w*/.exec(inside)![0], names) !== undefined;
}

/** The text between braces for a time: the reverse of `timeText`. */
export function textOfTime({ of, count, unit, as }: TimeText): string {
  return `${of}${count === 0 && unit === 'd' ? '' : `${count < 0 ? '' : '+'}${count}${unit}`}${as === undefined ? '' : `:${as}`}`;
}

/** Says why a time between braces can't be read. `names`: the times that are allowed there. */
export function timeFault(inside: string, names: readonly TimeName[] = timeNames): string | undefined {
  const time = timeText(inside);
  if (time === undefined || !names.includes(time.of)) {
    return `'\${${inside}}' can't be read: write ${names.map((name) => `\${${name}}`).join(', ')}, \${now-7d} or \${today+1m}`;
  }
  const { of, unit, as } = time;
  const isToday = of === 'today';
  const units = isToday ? 'd, w, m (months) and y' : 's, min, h, d and w. For months write ${today-1m}';
  if (isToday ? !['d', 'w', 'm', 'y'].includes(unit) : lengths[unit] === undefined)
    return `'\${${inside}}' has the unit '${unit}': after ${of} there is ${units}`;
  if (as === undefined || (isTimeForm(unquoted(as)) && (as.startsWith("'") || (timeForms as readonly string[]).includes(as))))
    return undefined;
  return (
    `'\${${inside}}' ends in ` +
    `'${as}'${instead(as, timeForms, `there is ${timeForms.join(', ')}, or a pattern such as 'YYYY-MM-DD HH:mm'`)}`
  );
}

function unquoted(as: string): string {
  return /^'(.*)'$/s.exec(as)?.[1] ?? as;
}

/** Writes a time: for `now` and `today` that of the clock, else the given one. undefined: none is given. */
export function writtenTime(
  text: TimeText,
  given: unknown,
  clock: { readonly now: number; readonly zone: string },
): string | number | undefined {
  const { of, count, unit, as } = text;
  const form = formOf(of, as);
  if (of === 'now') return zoned(clock.now + count * lengths[unit]!, form, clock.zone);
  if (of === 'today') return zoned(momentIn(clock.zone, dayFrom(shownIn(clock.zone, clock.now), count, unit)), form, clock.zone);
  const time = givenTime(given);
  if (time === undefined) return undefined;
  const moved = (of === 'to' && !isDaily(form) ? endOfTime(time) : time.at) + count * lengths[unit]!;
  return writeTime(moved, form, moved + time.shown - time.at);
}

/** The time that was given, from the written one: the reverse of `writtenTime`. A text of another form is returned as it is. */
export function givenBy({ of, count, unit, as }: TimeText, written: unknown): string {
  const form = formOf(of, as);
  const at = readTime(written, form);
  if (Number.isNaN(at)) return String(written);
  const moved = at - count * (lengths[unit] ?? 0);
  return isDaily(form) ? dayText(moved) : isoTime(moved);
}

/** The distance from one such time to the next, in milliseconds. */
export function stepOfTime({ of, as }: TimeText): number {
  return stepOf(formOf(of, as));
}

function formOf(of: TimeName, as: string | undefined): string {
  return as === undefined ? (of === 'since' || of === 'now' ? 'dateTime' : 'date') : unquoted(as);
}

function zoned(at: number, form: string, zone: string): string | number {
  return writeTime(at, form, shownIn(zone, at));
}

/**
 * The beginning of the day that is `count` days, weeks, months or years after another. If a month is too short, it is its last day.
 */
function dayFrom(shown: number, count: number, unit: string): number {
  const date = new Date(shown - (((shown % dayMs) + dayMs) % dayMs));
  if (lengths[unit] !== undefined) return date.getTime() + count * lengths[unit];
  const month = date.getUTCMonth() + count * months[unit]!;
  const last = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  return Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), last));
}
