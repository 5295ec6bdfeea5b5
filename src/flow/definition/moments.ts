import { instead, nearestName } from '../../../operators/check/nearestName.ts';
import { dayMs } from '../../../operators/kit/days.ts';
import { momentIn, shownIn, timeForms, writeTime, type TimeForm } from '../../../operators/kit/writeTime.ts';

/** What `${now}` and `${today}` stand for. */
export interface FlowClock {
  /** When the run began, in milliseconds since 1970. undefined: they stay as they are. */
  readonly now: number | undefined;
  /** The time zone that days are of. */
  readonly zone: string;
}

const moment = /^(now|today)(?:([+-]\d+)([a-z]+))?(?::(\w+))?$/;
const units: { readonly [of: string]: { readonly [unit: string]: number } } = {
  now: { min: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs },
  today: { d: 1, w: 7 },
};
const months: { readonly [unit: string]: number } = { m: 1, y: 12 };

/** Whether a value contains `${now}` or `${today}`. */
export function isTimed(input: unknown): boolean {
  return /(?<!\$)\$\{(now|today)\b/.test(JSON.stringify(input) ?? '');
}

/** Whether a name between braces is meant as a moment. */
export function meansMoment(inside: string): boolean {
  return nearestName(/^\w*/.exec(inside)![0], ['now', 'today']) !== undefined;
}

/** The text that `${now-7d}` stands for. An object: what is wrong with it. */
export function momentText(inside: string, { now, zone }: FlowClock): string | { readonly message: string } {
  const [, of, count, unit = '', as] = moment.exec(inside) ?? [];
  if (of === undefined) return { message: `'\${${inside}}' can't be read: write \${now}, \${today}, \${now-7d} or \${today+1m}` };
  if (count !== undefined && units[of]![unit] === undefined && (of === 'now' || months[unit] === undefined))
    return { message: `'\${${inside}}' has the unit '${unit}': ${unitsOf[of]}` };
  if (as !== undefined && !timeForms.includes(as as TimeForm))
    return { message: `'\${${inside}}' ends in '${as}'${instead(as, timeForms, `there is ${timeForms.join(', ')}`)}` };
  if (now === undefined) return `\${${inside}}`;
  const form = as as TimeForm | undefined;
  if (of === 'now') return String(writeTime(now + Number(count ?? 0) * (units['now']![unit] ?? 0), form ?? 'dateTime', zone));
  return String(writeTime(momentIn(zone, dayFrom(shownIn(zone, now), Number(count ?? 0), unit)), form ?? 'date', zone));
}

const unitsOf: { readonly [of: string]: string } = {
  now: 'after now there is min, h, d and w. For months write ${today-1m}',
  today: 'after today there is d, w, m (months) and y',
};

/** The beginning of a day that is so many days, weeks, months or years from another one. A month that is too short ends with its last day. */
function dayFrom(shown: number, count: number, unit: string): number {
  const date = new Date(shown - (((shown % dayMs) + dayMs) % dayMs));
  const days = units['today']![unit];
  if (days !== undefined) return date.getTime() + count * days * dayMs;
  const month = date.getUTCMonth() + count * (months[unit] ?? 0);
  const last = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  return Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), last));
}
