import { defer, type Observable, type OperatorFunction, tap } from 'rxjs';
import { mergeBounded, mergeBoundedOptions, type MergeBoundedOptions } from './mergeBounded.ts';
import { keyOption } from './distinctBy.ts';
import { canonicalJson } from './kit/canonicalJson.ts';
import { parseAge } from './kit/parseAge.ts';
import { timeIn } from './kit/timeIn.ts';
import { declareOptions, having, optionError, text } from './options/index.ts';
import type { PageFactory } from './PageFactory.ts';
import type { PageLike } from './PageLike.ts';
import { valueAt } from './walk/valueAt.ts';
import { sinceKinds, sinceValue, usualLookback, type SinceSpec } from './walk/SinceSpec.ts';
import { specOf } from './walk/WalkedOperation.ts';
import { notified, walkPages } from './walk/walkPages.ts';

/** How far each query is known, in milliseconds since 1970: a `Map`, or your own table. */
export interface Watermarks {
  get(query: string): number | undefined;
  set(query: string, time: number): unknown;
}

export interface ChangedSinceOptions<Row>
  extends Pick<MergeBoundedOptions, 'concurrency'>, Omit<SinceSpec, 'field' | 'param' | 'fullEvery'> {
  /** The watermark of each query: the time of its newest row. Keep it where you like. Without one, a query is walked whole. */
  readonly state: Watermarks;
  /** Where a row says when it was made or changed last, as a dotted path, or a function of the row. @default what the operation says */
  readonly field?: string | ((row: Row) => unknown) | undefined;
  /** The parameter that takes the time. @default what the operation says */
  readonly param?: string | undefined;
}

const changedSinceOptions = declareOptions<ChangedSinceOptions<unknown>>()({
  state: having<Watermarks>('a Map, or something like it', 'get', 'set').needed(),
  field: keyOption<unknown>(),
  param: text("a parameter's name"),
  as: sinceKinds.as,
  template: sinceKinds.template,
  inclusive: sinceKinds.inclusive,
  lookback: sinceKinds.lookback,
  concurrency: mergeBoundedOptions.kinds.concurrency,
});

/**
 * Turns queries into pages, for services that return what changed since a time. A query that has a watermark gets a parameter with it. So
 * only changed rows come, and those of the `lookback` before once more: merge them by their id.
 *
 * A watermark moves to the newest row once its walk was whole: not after an error, an early end, or fewer rows than the service claims. It
 * is never later than the beginning of the walk.
 *
 * - Order: a query's pages are in order. Pages of several queries interleave.
 * - Concurrency: `concurrency` walks at once. When a hundred queries wait, everything upstream pauses.
 * - Cancellation: unsubscribing ends the requests in flight, and leaves `state` as it was.
 * - Cost: one request per page of what changed. Rows that are gone can't be known: delete a query from `state` to walk all of it.
 *
 * @example
 * of({ shop: 1 }).pipe(changedSince(orders, { state: watermarks, param: 'updated_after', field: 'updated_at' }), items())
 */
export function changedSince<Query extends object, Page extends PageLike>(
  factory: PageFactory<Query, Page>,
  options: ChangedSinceOptions<Page['items'][number]>,
): OperatorFunction<Query, Page> {
  const given = changedSinceOptions.read('changedSince', options);
  const operation = specOf(factory);
  const own = operation.since;
  const { state, concurrency, field = own?.field, param = own?.param } = given;
  const { as = own?.as, template = own?.template, inclusive = own?.inclusive, lookback = own?.lookback ?? usualLookback } = given;
  if (param === undefined)
    throw optionError('changedSince', 'param', `given, since ${factory.name} does not say which one takes a time`, param);
  if (field === undefined)
    throw optionError('changedSince', 'field', `given, since ${factory.name} does not say when a row is from`, field);
  const timeOf = (row: unknown): number => timeIn(typeof field === 'function' ? field(row) : valueAt(row, field));
  const lookbackMs = parseAge(lookback)!;
  const isText = operation.params?.[param]?.type === 'string';

  const open = (query: Query): Observable<Page> =>
    defer(() => {
      const { [param]: _, ...rest } = query as { readonly [param: string]: unknown };
      const key = canonicalJson(rest);
      const known = state.get(key);
      const value = known === undefined ? undefined : sinceValue({ as, template, inclusive }, known - lookbackMs);
      const asked = value === undefined ? query : { ...query, [param]: isText ? String(value) : value };
      const startedAt = Date.now();
      let newest = known ?? -Infinity;
      let isWhole = true;
      const watched = notified(factory, (event) => {
        if (event.type === 'capped' || event.type === 'short') isWhole = false;
        factory.notify?.(event);
      });
      return walkPages(
        watched,
        {},
      )(asked).pipe(
        tap({
          next({ items }) {
            for (const row of items) newest = Math.max(newest, timeOf(row) || -Infinity);
          },
          complete() {
            if (isWhole && newest > -Infinity) state.set(key, Math.min(newest, startedAt));
          },
        }),
      );
    });
  return mergeBounded(open, { concurrency, eager: factory.heedsDemand, name: 'changedSince' });
}
