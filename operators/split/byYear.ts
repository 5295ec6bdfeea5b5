import { ownValue } from '../kit/ownValue.ts';
import type { Split } from './Split.ts';
import { optionError, declareOptions, like } from '../options/index.ts';

export interface ByYearOptions {
  /** The first year to split from, if a query has none. Anything older stays in the first half. @default 1950 */
  readonly from?: number | undefined;
  /** The last year to split up to, if a query has none. Anything later stays in the last half. @default this year */
  readonly to?: number | undefined;
}

const isYear = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 9999;
const year = like<number>('a year', isYear);
const byYearOptions = declareOptions<ByYearOptions>()({ from: year.or(1950), to: year });

/**
 * Splits a query by year of publication: into halves, again and again, down to single years. Works without a year may
 * be missing from the results.
 *
 * @example
 * splitWhenFull(client.scholarSearch, { split: byYear() })
 */
export function byYear<Query extends object>(options: ByYearOptions = {}): Split<Query> {
  const { from, to = new Date().getFullYear() } = byYearOptions.read('byYear', options);
  if (from > to) throw optionError('byYear', 'from', `at most to, which is ${to}`, from);
  return (query, { factory }) => {
    const year = factory?.splits?.year;
    if (year === undefined) throw new RangeError(`byYear: ${factory?.name ?? 'the walk'} does not say which parameters take years`);
    const [first, last] = [yearIn(ownValue(query, year.first)), yearIn(ownValue(query, year.last))];
    if (first !== undefined && last !== undefined && first >= last) return [];
    // an open end is split where most works are, and stays open
    const low = first ?? Math.min(from, (last ?? to) - 16);
    const high = last ?? Math.max(to, low + 1);
    const middle = Math.floor((low + high) / 2);
    // a service that doesn't heed years is full in all of them
    if (first === undefined && last !== undefined && last < from - 100) return [];
    if (last === undefined && first !== undefined && first > to + 100) return [];
    return [
      { ...query, [year.last]: String(middle) },
      { ...query, [year.first]: String(middle + 1) },
    ];
  };
}

function yearIn(value: unknown): number | undefined {
  const year = Number(value);
  return value === undefined || value === '' || !Number.isInteger(year) ? undefined : year;
}
