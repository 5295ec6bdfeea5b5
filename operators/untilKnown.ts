import type { MonoTypeOperatorFunction } from 'rxjs';
import { hasKey, keyOption, keyReader, type Key } from './distinctBy.ts';
import { defineOperator } from './kit/defineOperator.ts';
import { timeIn } from './kit/timeIn.ts';
import type { PageLike } from './PageLike.ts';
import { group, having, like, declareOptions } from './options/index.ts';

/** The row ids known from earlier walks: a `Set`, or your own table. */
export interface KnownIds {
  has(id: unknown): boolean;
  add(id: unknown): unknown;
}

export interface UntilKnownOptions<Row> {
  /** The id of a row: a field, or a function of the row. A row without one (null, undefined) is never known. */
  readonly id: Key<Row>;
  /**
   * The ids of rows seen so far. A walk adds its own when it has ended: one that failed or was left early adds none, so
   * that the next one finds the rows between. Keep it where you like.
   */
  readonly state: KnownIds;
  /**
   * Known rows whose `field` isn't before `time` don't end the walk, so that late and edited rows behind them are
   * found. Where the rows of a page stand in the order of `field`, newest first, the ones before `time` end it, also below
   * new rows. A time is a date, or seconds or milliseconds since 1970. @default nothing: a page on which all rows are known ends the walk
   */
  readonly since?: { readonly field: Key<Row>; readonly time: Date | number | string } | undefined;
}

type Since = NonNullable<UntilKnownOptions<unknown>['since']>;
const isDate = (value: unknown): boolean => !Number.isNaN(new Date(value as string).getTime());
const untilKnownOptions = declareOptions<UntilKnownOptions<unknown>>()({
  id: keyOption<unknown>().needed(),
  state: having<KnownIds>('a Set of ids, or something like it', 'has', 'add').needed(),
  since: group(declareOptions<Since>()({ field: keyOption<unknown>().needed(), time: like<Since['time']>('a date', isDate).needed() })),
});

/**
 * Walks the pages of one query, newest rows first, up to the first page that reaches known rows. That page is emitted
 * too, because its rows may have been edited. Then the walk is unsubscribed, so no further page is requested.
 *
 * - Order: kept. Concurrency: none. Cancellation: unsubscribing ends the walk, and leaves `state` as it was.
 * - Memory: the ids of the new rows of a walk.
 * - Cost: one page for a query without new rows.
 *
 * @example
 * of({ data_id, sort_by: 'newestFirst' as const }).pipe(expandCursor(client.mapsReviews), untilKnown({ id: 'review_id', state: seen }))
 */
export function untilKnown<Page extends PageLike>(options: UntilKnownOptions<Page['items'][number]>): MonoTypeOperatorFunction<Page> {
  const { id, state, since } = untilKnownOptions.read('untilKnown', options);
  const idOf = keyReader<Page['items'][number]>('untilKnown', id);
  const timeOf = since === undefined ? undefined : keyReader<Page['items'][number]>('untilKnown', since.field);
  const oldest = since === undefined ? Infinity : new Date(since.time).getTime();

  const ageOf = (row: Page['items'][number]): number => (timeOf === undefined ? -Infinity : timeIn(timeOf(row)));
  const isKnown = (row: Page['items'][number]): boolean => hasKey(idOf(row)) && state.has(idOf(row));
  const ends = ({ items }: Page): boolean => {
    if (items.length > 0 && items.every((row) => isKnown(row) && ageOf(row) < oldest)) return true;
    if (timeOf === undefined) return false;
    const times = items.map(ageOf).filter((time) => !Number.isNaN(time));
    return reachesKnown({ times, unknown: items.filter((row) => !isKnown(row)).map(ageOf) }, oldest) === 'in order';
  };
  return defineOperator<Page, Page>((source, out) => {
    const found = new Set<unknown>();
    const end = (): void => {
      for (const id of found) state.add(id);
      out.complete();
    };
    out.listen(source, {
      next(page) {
        for (const id of page.items.map(idOf)) if (hasKey(id) && !state.has(id)) found.add(id);
        const isLast = ends(page);
        out.next(page);
        if (isLast && !out.closed) end();
      },
      complete: end,
    });
  });
}

/** A page of a walk that goes from the newest rows back. */
interface DatedPage {
  /** When its rows are from, in their order. Rows that don't say so are left out. */
  readonly times: readonly number[];
  /** When the rows are from that aren't known yet. NaN: it doesn't say. */
  readonly unknown: readonly number[];
}

/** Fewer rows than this may stand in order by chance. */
const minInOrder = 3;

/**
 * Whether a walk has reached known rows: the page goes back behind `until`, and all of its rows are known, or those before
 * `until` are and the rows stand in the order of time. undefined: it has not.
 */
export function reachesKnown({ times, unknown }: DatedPage, until: number): 'in order' | 'in any order' | undefined {
  if (!times.some((time) => time < until)) return undefined;
  const isOrdered = times.every((time, index) => index === 0 || time <= times[index - 1]!);
  if (unknown.length === 0) return isOrdered ? 'in order' : 'in any order';
  return isOrdered && times.length >= minInOrder && unknown.every((time) => time >= until) ? 'in order' : undefined;
}
