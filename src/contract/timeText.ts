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
  timeForms,
  writeTime,
} from '../../operators/kit/writeTime.ts';

/** The names in a text that stand for a time. */
export const timeNames = ['since', 'from', 'to', 'now', 'today'] as const;
type TimeName = (typeof timeNames)[number];

/** A time in a text of a description or of a flow: `${since:seconds}`, `${now-7d}`, `${to+1d:'YYYY-MM-DD'}`. */
export interface TimeText {
  readonly of: TimeName;
  /** How far from it: -7 days. */
  readonly count: number;
  readonly unit: string;
  /** How it is written. A pattern has quotes. */
  readonly as: string | undefined;
}

const whole = /^([a-z]+)(?:([+-]\d+)([a-z]+))?(?::(.*))?$/s;
const lengths: { readonly [unit: string]: number } = { s: 1000, min: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs };
const months: { readonly [unit: string]: number } = { m: 1, y: 12 };

/** The time that stands between braces. undefined: it is something else. */
export function timeText(inside: string): TimeText | undefined {
  const [, name, count = '0', unit = 'd', as] = whole.exec(inside) ?? [];
  const of = timeNames.find((one) => one === name);
  return of && { of, count: Number(count), unit, as };
}

/** Whether what stands between braces begins like one of these times. */
export function meansTime(inside: string, names: readonly TimeName[] = timeNames): boolean {
  return nearestName(/^\w*/.exec(inside)![0], names) !== undefined;
}

/** What stands between the braces of a time. */
export function textOfTime({ of, count, unit, as }: TimeText): string {
  return `${of}${count === 0 && unit === 'd' ? '' : `${count < 0 ? '' : '+'}${count}${unit}`}${as === undefined ? '' : `:${as}`}`;
}

/** Why such a time can't be read, as a sentence. `names`: those that may stand there. */
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

/** A time as a text says: of `now` and `today` that of a clock, else the one that is given. undefined: none is given. */
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

/** The time that a written one was given as: the reverse. What isn't written so stays. */
export function givenBy({ of, count, unit, as }: TimeText, written: unknown): string {
  const form = formOf(of, as);
  const at = readTime(written, form);
  if (Number.isNaN(at)) return String(written);
  const moved = at - count * (lengths[unit] ?? 0);
  return isDaily(form) ? dayText(moved) : isoTime(moved);
}

function formOf(of: TimeName, as: string | undefined): string {
  return as === undefined ? (of === 'since' || of === 'now' ? 'dateTime' : 'date') : unquoted(as);
}

function zoned(at: number, form: string, zone: string): string | number {
  return writeTime(at, form, shownIn(zone, at));
}

/**
 * The beginning of a day that is so many days, weeks, months or years from another one. A month that is too short ends with its last day.
 */
function dayFrom(shown: number, count: number, unit: string): number {
  const date = new Date(shown - (((shown % dayMs) + dayMs) % dayMs));
  if (lengths[unit] !== undefined) return date.getTime() + count * lengths[unit];
  const month = date.getUTCMonth() + count * months[unit]!;
  const last = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  return Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), last));
}
