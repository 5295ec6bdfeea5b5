import { daysIn, daysOfEvery, daysWords, everyWords } from './kit/calendar.ts';
import { compactDay } from './kit/days.ts';
import { declareOptions, like, oneOf, text } from './options/index.ts';

export interface DatesOptions {
  /** The first and the last day: `'2026-12-01/2027-02-28'`. */
  readonly days: string;
  /** How far one day is from the next: `'1d'`, `'1w'`. @default '1d' */
  readonly every?: string | undefined;
  /** How the service takes days: as `2026-12-01`, or as `20261201`. @default 'date' */
  readonly as?: 'date' | 'compactDate' | undefined;
}

const datesOptions = declareOptions<DatesOptions>()({
  days: text(daysWords).needed(),
  every: like<string>(everyWords, (value) => daysOfEvery(value) !== undefined).or('1d'),
  as: oneOf('date', 'compactDate').or('date'),
});

/**
 * The days of a calendar, the earliest first: for prices of each night, or what was new on each day. `dayAfter` gives the end of a stay.
 *
 * @example
 * from(dates({ days: '2026-12-01/2027-02-28' })).pipe(
 *   map((day) => ({ query: 'hotels in Vienna', check_in_date: day, check_out_date: dayAfter(day, 2) })),
 *   expandCursor(client.hotelSearch, { maxPages: 1 }),
 * )
 */
export function dates(options: DatesOptions): readonly string[] {
  const { days, every, as } = datesOptions.read('dates', options);
  try {
    const all = daysIn(days, daysOfEvery(every)!);
    return as === 'date' ? all : all.map(compactDay);
  } catch (error) {
    throw new RangeError(`dates: days ${(error as Error).message}`, { cause: error });
  }
}
