import { boundedRanges, halvedRanges, isFullRange, narrowerRanges, type RangeAxis } from './RangeAxis.ts';
import type { Split, SplitFactory } from './Split.ts';
import type { YearSpec } from './Splits.ts';
import { declareOptions, flag, optionError, like, number, oneOf } from '../options/index.ts';
import { daysOfEvery } from '../kit/calendar.ts';
import { dayMs, dayText, isDay } from '../kit/days.ts';
import { stepOf, timeForms, timeGrains, writeTime } from '../kit/writeTime.ts';
import { ownValue } from '../kit/ownValue.ts';
import { type PlainRow, rowsAt } from '../walk/rowsAt.ts';

interface BoundOptions {
  /** The parameters of the lower and of the upper bound. */
  readonly params: readonly [first: string, last: string];
  /** Whether the service returns rows that lie on the upper bound. The lower bound is always included. @default 'included' */
  readonly upper?: 'included' | 'excluded' | undefined;
  /** No query is sent without both bounds. @default false */
  readonly required?: boolean | undefined;
}

export interface ByRangeOptions extends BoundOptions {
  /** The first and the last value. Rows beyond them are found with those at the ends. */
  readonly from: number;
  readonly to: number;
  /** The distance from one value to the next: 0.01 for prices with cents. @default 1 */
  readonly step?: number | undefined;
}

export interface ByDatesOptions extends BoundOptions {
  /** The first day: `'2020-01-31'`. */
  readonly from: string;
  /** The last day, or `'now'`: up to this moment, where the service takes times. @default today */
  readonly to?: string | undefined;
  /**
   * How the service takes days: as `2020-01-31`, as `2020-01-31T00:00:00Z`, as `20200131`, or as seconds or milliseconds since 1970.
   * @default 'date'
   */
  readonly as?: (typeof timeForms)[number] | undefined;
  /** No query is for more days: `'31d'`. None is sent without both bounds then. @default any number */
  readonly most?: string | undefined;
}

export interface ByYearOptions {
  /** The first year, if a query has none. Anything older is found with it. @default 1850 */
  readonly from?: number | undefined;
  /** The last year, if a query has none. Anything later is found with it. @default this year */
  readonly to?: number | undefined;
}

const isPair = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'string' && one !== '') && value[0] !== value[1];
const pair = like<BoundOptions['params']>('the names of two parameters', isPair).needed();
const day = like<string>('a day such as 2020-01-31', isDay);
const upper = oneOf('included', 'excluded');
const byRangeOptions = declareOptions<ByRangeOptions>()({
  params: pair,
  upper: upper.or('included'),
  from: number({ from: -Number.MAX_SAFE_INTEGER }).needed(),
  to: number({ from: -Number.MAX_SAFE_INTEGER }).needed(),
  step: number({ above: 0 }).or(1),
  required: flag().or(false),
});
const byDatesOptions = declareOptions<ByDatesOptions>()({
  params: pair,
  upper: upper.or('included'),
  from: day.needed(),
  to: like<string>("a day such as 2020-01-31, or 'now'", (value) => value === 'now' || isDay(value)),
  as: oneOf(...timeForms).or('date'),
  required: flag().or(false),
  most: like<string>("a number of days or weeks such as '31d'", (value) => daysOfEvery(value) !== undefined),
});
const year = like<number>('a year', (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 9999);
const byYearOptions = declareOptions<ByYearOptions>()({ from: year.or(1850), to: year });

/**
 * Splits a query by a range of numbers, such as prices. A full query is divided into equal pieces: as many as its total number of rows
 * needs, if the service says it, else four. A row on a bound is in one piece only. Rows without a value may be missing from the results.
 *
 * @example
 * splitWhenFull(client.webSearch, { full: 100, split: byRange({ params: ['min_price', 'max_price'], from: 0, to: 500 }) })
 */
export function byRange<Query extends object>(options: ByRangeOptions): Split<Query> {
  const axis = rangeAxis(options);
  return along(() => axis, axis.bounds !== undefined);
}

/**
 * Splits a query by days, as `byRange` does by numbers. A single day that is full is split by hours, minutes and seconds, if the service
 * takes times.
 *
 * @example
 * splitWhenFull(client.newsSearch, { full: 100, split: byDates({ params: ['after', 'before'], from: '2020-01-01' }) })
 */
export function byDates<Query extends object>(options: ByDatesOptions): Split<Query> {
  const axis = dateAxis(options);
  return along(() => axis, axis.bounds !== undefined);
}

/**
 * Splits a query by year of publication, as `byRange` does by numbers. Single years aren't split. Works without a year may be missing
 * from the results.
 *
 * @example
 * splitWhenFull(client.scholarSearch, { split: byYear() })
 */
export function byYear<Query extends object>(options: ByYearOptions = {}): Split<Query> {
  const given = byYearOptions.read('byYear', options);
  yearAxis({ first: '', last: '' }, given);
  return along((factory) => {
    const year = factory?.splits?.year;
    if (year === undefined) throw new RangeError(`byYear: ${factory?.name ?? 'the walk'} does not say which parameters take years`);
    return yearAxis(year, given);
  });
}

export function rangeAxis(options: ByRangeOptions): RangeAxis {
  const { params, from, to, step, required, upper: end } = byRangeOptions.read('byRange', options);
  if (from >= to) throw optionError('byRange', 'from', `below to, which is ${to}`, from);
  const decimals = Math.max(...[from, step].map((value) => /\.(\d+)/.exec(String(value))?.[1]?.length ?? 0), step < 1e-6 ? 12 : 0);
  const beyond = end === 'excluded' ? 1 : 0;
  return {
    params,
    last: Math.ceil((to - from) / step - 1e-9),
    bounds: required ? { most: undefined } : undefined,
    indexOf(value, bound) {
      const at = value === '' ? Number.NaN : (Number(value) - from) / step;
      // a bound between two values belongs to the one inside
      if (bound === 'last' && end === 'included') return wholeIndex(at + 1e-6);
      return wholeIndex(Math.ceil(at - 1e-6) - (bound === 'last' ? 1 : 0));
    },
    valueOf: (index, bound) => Number((from + (index + (bound === 'last' ? beyond : 0)) * step).toFixed(decimals)),
  };
}

/** `now`: the moment that it stands for. */
function dateAxis(options: ByDatesOptions, now: number = Date.now()): RangeAxis {
  const { params, from, to: until, as, required, most, upper } = byDatesOptions.read('byDates', options);
  const to = until === undefined || until === 'now' ? dayText(now) : until;
  if (from >= to) throw optionError('byDates', 'from', `before to, which is ${to}`, from);
  const start = Date.parse(from);
  const step = stepOf(as);
  const daySteps = dayMs / step;
  // How long before the next value the upper bound is. 0 with `dateTime`, because rows may have fractions of a second.
  const before = upper === 'excluded' || as === 'dateTime' ? 0 : as === 'ms' ? 1 : step;
  const isCut = until === 'now' && step < dayMs;
  const end = isCut ? now : Date.parse(to) + dayMs;
  return {
    params,
    last: Math.ceil((end - start) / step) - 1,
    grains: timeGrains(step),
    bounds: required || most !== undefined ? { most: most === undefined ? undefined : daysOfEvery(most)! * daySteps } : undefined,
    indexOf(value, bound) {
      const at = as === 'seconds' ? Number(value) * 1000 : Date.parse(String(value).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
      const moment = as === 'ms' ? Number(value) : at;
      return wholeIndex((moment - start - (bound === 'last' && before === 0 ? 1 : 0)) / step);
    },
    valueOf: (index, bound) =>
      writeTime(bound === 'first' ? start + index * step : Math.min(isCut ? now : Infinity, start + (index + 1) * step - before), as),
    indexAt: (time) => Math.floor((time - start) / dayMs) * daySteps,
  };
}

/** The range of years of an operation. */
export function yearAxis({ first, last }: YearSpec, { from = 1850, to = new Date().getFullYear() }: ByYearOptions = {}): RangeAxis {
  if (from > to) throw optionError('byYear', 'from', `at most to, which is ${to}`, from);
  return {
    params: [first, last],
    last: to - from,
    indexOf: (value) => wholeIndex(value === '' ? Number.NaN : Number(value) - from),
    valueOf: (index) => String(from + index),
  };
}

/** A split into pieces of a range. `isBounded`: the service takes no query without bounds. */
function along<Query extends object>(axisOf: (factory?: SplitFactory) => RangeAxis, isBounded: boolean = false): Split<Query> {
  const split: Split<Query> = (query, { factory, rows, full = rows.length, claim, widerClaim }) =>
    narrowerRanges(axisOf(factory), query, { full, claim, widerClaim });
  const isFull: Split<Query>['isFull'] = (query, { factory, ...rows }) => isFullRange(axisOf(factory), query, rows);
  if (!isBounded) return Object.assign(split, { isFull });
  const axis = axisOf();
  return Object.assign(split, {
    isFull,
    bounded: (query: Query) => boundedRanges(axis, query),
    halved: (query: Query) => halvedRanges(axis, query),
  });
}

function wholeIndex(index: number): number | undefined {
  return Number.isNaN(index) ? undefined : Math.floor(index);
}

/**
 * Splits a query by the values of a parameter: prices, filters, the same words followed by a district. Rows that match
 * none of the values are missing from the results.
 *
 * `values` may also be the dotted path of the values in the response, such as filters that it lists: `'chips[].id'`.
 *
 * @example
 * splitWhenFull(client.imageSearch, { full: 100, split: byValues('image_type', ['photo', 'clipart', 'lineart']) })
 */
export function byValues<Query extends object>(param: string, values: readonly (string | number | boolean)[] | string): Split<Query> {
  if (param === '') throw new RangeError(`byValues: param must be a parameter's name, not an empty text`);
  if (values.length === 0 || (typeof values !== 'string' && !Array.isArray(values)))
    throw new RangeError('byValues: values must be a list that is not empty, or a path in the response');
  if (typeof values === 'string') {
    return (query, { data }) => {
      const plain = [...(rowsAt(data, values).plain ?? [])].map((row) => (row as PlainRow).value);
      const listed = plain.filter((value) => ['string', 'number', 'boolean'].includes(typeof value));
      // a query that has a value already is a narrower one
      return ownValue(query, param) === undefined ? [...new Set(listed)].map((value) => ({ ...query, [param]: value })) : [];
    };
  }
  const split = new Set<unknown>(values);
  return (query) => (split.has(ownValue(query, param)) ? [] : values.map((value) => ({ ...query, [param]: value })));
}
