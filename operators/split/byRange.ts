import { boundedRanges, halvedRanges, isFullRange, narrowerRanges, nextRange, rowPlaces, type RangeAxis } from './RangeAxis.ts';
import { neverFull, type PieceRows, type RangePiece } from './RangePiece.ts';
import type { Split, Walked } from './Split.ts';
import { declareOptions, flag, optionError, like, number, oneOf } from '../options/index.ts';
import { daysOfEvery } from '../kit/calendar.ts';
import { dayMs, dayText, isDay } from '../kit/days.ts';
import { timeIn } from '../kit/timeIn.ts';
import { stepMs, timeForms, writeTime, type TimeForm } from '../kit/writeTime.ts';

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
  /** How the service takes days: as `2020-01-31`, as `2020-01-31T00:00:00Z`, as `20200131`, or as seconds or milliseconds since 1970. @default 'date' */
  readonly as?: TimeForm | undefined;
  /** No query is for more days: `'31d'`. None is sent without both bounds then. @default any number */
  readonly most?: string | undefined;
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

/**
 * Splits a query by a range of numbers, such as prices: into pieces, each as wide as the rows of the pieces before it suggest.
 * A row on a bound is in one piece only. Rows without a value may be missing from the results.
 *
 * @example
 * splitWhenFull(client.webSearch, { full: 100, split: byRange({ params: ['min_price', 'max_price'], from: 0, to: 500 }) })
 */
export function byRange<Query extends object>(options: ByRangeOptions): Split<Query> {
  return sweeping(rangeAxis(options));
}

/**
 * Splits a query by days, as `byRange` does by numbers. Single days aren't split.
 *
 * @example
 * splitWhenFull(client.newsSearch, { full: 100, split: byDates({ params: ['after', 'before'], from: '2020-01-01' }) })
 */
export function byDates<Query extends object>(options: ByDatesOptions): Split<Query> {
  return sweeping(dateAxis(options));
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
    placeOf(value, bound) {
      const at = value === '' ? Number.NaN : (Number(value) - from) / step;
      // no place beyond a bound that lies between two of them
      if (bound === 'last' && end === 'included') return wholePlace(at + 1e-6);
      return wholePlace(Math.ceil(at - 1e-6) - (bound === 'last' ? 1 : 0));
    },
    valueOf: (place, bound) => Number((from + (place + (bound === 'last' ? beyond : 0)) * step).toFixed(decimals)),
    rowAt: (value) => wholePlace((numberIn(value) - from) / step + 1e-9),
  };
}

/** `now`: what is taken for it. */
export function dateAxis(options: ByDatesOptions, now: number = Date.now()): RangeAxis {
  const { params, from, to: until, as, required, most, upper: end } = byDatesOptions.read('byDates', options);
  const to = until === undefined || until === 'now' ? dayText(now) : until;
  if (from >= to) throw optionError('byDates', 'from', `before to, which is ${to}`, from);
  const start = Date.parse(from);
  // The last moment of a day, where moments are bounds. Rows have fractions of seconds, so with `dateTime` it is the first of the next one.
  const before = end === 'excluded' || as === 'dateTime' ? 0 : stepMs[as];
  const latest = until === 'now' && stepMs[as] < dayMs ? now : Infinity;
  const lastOf = (place: number): number => Math.min(latest, start + (place + 1) * dayMs - before);
  return {
    params,
    last: Math.round((Date.parse(to) - start) / dayMs),
    bounds: required || most !== undefined ? { most: most === undefined ? undefined : daysOfEvery(most) } : undefined,
    placeOf(value, bound) {
      const at = as === 'seconds' ? Number(value) * 1000 : Date.parse(String(value).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
      const moment = as === 'ms' ? Number(value) : at;
      return wholePlace((moment - start - (bound === 'last' && before === 0 ? 1 : 0)) / dayMs);
    },
    valueOf: (place, bound) => writeTime(bound === 'first' ? start + place * dayMs : lastOf(place), as),
    rowAt: (value) => wholePlace((timeIn(value) - start) / dayMs),
  };
}

/** A split whose pieces lead on to each other. What is known of a piece is kept beside its query. */
function sweeping<Query extends object>(axis: RangeAxis): Split<Query> {
  const pieces = new WeakMap<object, RangePiece>();
  const named = (made: readonly { readonly query: Query; readonly piece: RangePiece }[]): readonly Query[] =>
    made.map(({ query, piece }) => {
      pieces.set(query, piece);
      return query;
    });
  const found = (piece: RangePiece | undefined, { rows, claim, ids = [] }: Walked<Query>): PieceRows => ({
    rows: rows.length,
    places: rowPlaces(axis, piece, rows, ids),
    claim,
  });
  const split: Split<Query> = (query, walked) => {
    const piece = pieces.get(query);
    return named(narrowerRanges(axis, query, piece, found(piece, walked), walked.rows.length));
  };
  const bounded = (query: Query): readonly Query[] => named(boundedRanges(axis, query, neverFull));
  const halved = (query: Query): readonly Query[] => named(halvedRanges(axis, query, pieces.get(query)));
  const after: Split<Query> = (query, walked) => {
    const piece = pieces.get(query);
    return piece === undefined ? [] : named(nextRange(axis, query, piece, found(piece, walked)));
  };
  const isFull = (query: Query, claim: number): boolean => isFullRange(pieces.get(query), claim);
  return Object.assign(split, { after, isFull, halved, ...(axis.bounds === undefined ? {} : { bounded }) });
}

function wholePlace(place: number): number | undefined {
  return Number.isNaN(place) ? undefined : Math.floor(place);
}

/** A number, also as text with a currency: `$1,299.00`. NaN for anything else. */
function numberIn(value: unknown): number {
  if (typeof value !== 'string') return typeof value === 'number' ? value : Number.NaN;
  const [number] = /-?\d[\d,]*(\.\d+)?/.exec(value) ?? [];
  return number === undefined || value.length - number.length > maxAround ? Number.NaN : Number(number.replaceAll(',', ''));
}

/** A currency and spaces. */
const maxAround = 5;
