import { clockText } from '../../../operators/kit/days.ts';
import type { ShownBar } from '../api.ts';
import { measureOf } from './TableRows.ts';

const mostBars = 24;

/** Bars with round ends that hold all values between two: where each begins, and what is said of its ends. */
export function roundBars(type: string | undefined, min: number, max: number): readonly Omit<Bar, 'count'>[] {
  if (measureOf(type) === 'time') return timeBars(min, max);
  return numberBars(min, max, type === 'integer' ? 1 : 0);
}

interface Bar extends ShownBar {
  /** The least value in it: a number, or seconds since 1970. */
  readonly start: number;
}

/** `least`: the least width of a bar. Whole numbers have a bar each, if they aren't many. */
function numberBars(min: number, max: number, least: 0 | 1): readonly Omit<Bar, 'count'>[] {
  const power = 10 ** Math.floor(Math.log10((max - min) / mostBars || 1));
  const round = [1, 2, 5, 10].map((digit) => digit * power).find((one) => (max - min) / one <= mostBars - 2);
  const step = Math.max(least, round ?? 10 * power);
  const first = Math.floor(min / step);
  const count = Math.floor(max / step) - first + 1;
  const edge = (at: number): number => Number(((first + at) * step).toPrecision(12));
  return Array.from({ length: count }, (_, at) => ({
    start: edge(at),
    from: String(edge(at)),
    to: String(edge(step === least ? at : at + 1)),
  }));
}

/** How long a text of a time is that says no more than the hour, and so on. */
const units = { hour: 13, day: 10, month: 7, year: 4 } as const;
type Unit = keyof typeof units;

function timeBars(min: number, max: number): readonly Omit<Bar, 'count'>[] {
  const count = (unit: Unit): number => edges(unit, min, max, mostBars * 3 + 1).length;
  const unit = (Object.keys(units) as Unit[]).find((one) => count(one) <= (one === 'hour' ? mostBars : mostBars * 3)) ?? 'year';
  const all = edges(unit, min, max, Infinity);
  const joined = Math.ceil(all.length / (mostBars * 3)); // years of many centuries
  const text = (at: number): string => clockText(at * 1000, units[unit]);
  const named = (at: number): string => (unit === 'hour' ? `${text(at)}:00` : text(at));
  return all.filter((_, at) => at % joined === 0).map((start) => ({ start, from: named(start), to: named(start) }));
}

/** The beginnings of all units from one time to another, at most so many. */
function edges(unit: Unit, min: number, max: number, most: number): readonly number[] {
  const first = new Date(min * 1000);
  const [year, month, day, hour] = [first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate(), first.getUTCHours()];
  const begin = { hour: (n: number) => Date.UTC(year, month, day, hour + n), day: (n: number) => Date.UTC(year, month, day + n), month: (n: number) => Date.UTC(year, month + n), year: (n: number) => Date.UTC(year + n, 0) }[unit]; // prettier-ignore
  const found: number[] = [];
  for (let n = 0; found.length < most && begin(n) / 1000 <= max; n += 1) found.push(begin(n) / 1000);
  return found;
}
