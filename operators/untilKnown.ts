import type { MonoTypeOperatorFunction } from 'rxjs';
import { keyOption, keyReader, type Key } from './distinctBy.ts';
import { defineOperator } from './kit/defineOperator.ts';
import { group, having, like } from './options/kinds.ts';
import { declareOptions } from './options/OptionSet.ts';
import type { PageLike } from './PageLike.ts';

/** The row ids known from earlier walks: a `Set`, or your own table. */
export interface KnownIds {
  has(id: unknown): boolean;
  add(id: unknown): unknown;
}

export interface UntilKnownOptions<Row> {
  /** The id of a row: a field, or a function of the row. */
  readonly id: Key<Row>;
  /**
   * The ids of rows seen so far. A walk adds its own when it has ended: one that failed or was left early adds none, so
   * that the next one finds the rows between. Keep it where you like.
   */
  readonly state: KnownIds;
  /**
   * A known row whose `field` isn't before `time` doesn't end the walk, so that late and edited rows behind it are
   * found. Times are compared as dates. @default nothing: known rows end the walk
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
 * Walks the pages of one query, newest rows first, up to the first page on which every row is known. That page is emitted
 * too, because its rows may have been edited. Then the walk is unsubscribed, so no further page is requested.
 *
 * - Order: kept. Concurrency: none. Cancellation: unsubscribing ends the walk, and leaves `state` as it was.
 * - Memory: the ids of the new rows of a walk.
 * - Cost: one page for a query without new rows.
 *
 * @example
 * of({ data_id, sort_by: 'newestFirst' }).pipe(expandCursor(client.mapsReviews), untilKnown({ id: 'review_id', state: seen }))
 */
export function untilKnown<Page extends PageLike>(options: UntilKnownOptions<Page['items'][number]>): MonoTypeOperatorFunction<Page> {
  const { id, state, since } = untilKnownOptions.read('untilKnown', options);
  const idOf = keyReader<Page['items'][number]>('untilKnown', id);
  const timeOf = since === undefined ? undefined : keyReader<Page['items'][number]>('untilKnown', since.field);
  const oldest = since === undefined ? Infinity : new Date(since.time).getTime();

  const isOld = (row: Page['items'][number]): boolean =>
    state.has(idOf(row)) && (timeOf === undefined || new Date(String(timeOf(row))).getTime() < oldest);
  return defineOperator<Page, Page>((source, out) => {
    const found = new Set<unknown>();
    const end = (): void => {
      for (const id of found) state.add(id);
      out.complete();
    };
    out.listen(source, {
      next(page) {
        for (const row of page.items) if (!state.has(idOf(row))) found.add(idOf(row));
        const ends = page.items.length > 0 && page.items.every(isOld);
        out.next(page);
        if (ends && !out.closed) end();
      },
      complete: end,
    });
  });
}
