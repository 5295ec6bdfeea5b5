import { catchError, concat, defer, EMPTY, finalize, from, map, type Observable, of, type OperatorFunction, takeWhile } from 'rxjs';
import { mergeBounded, mergeBoundedOptions, type MergeBoundedOptions } from './mergeBounded.ts';
import { type Key, keyOption, keyReader } from './distinctBy.ts';
import { createConcurrencyLimit, limitConcurrency } from './limits/limitConcurrency.ts';
import type { PageFactory } from './PageFactory.ts';
import type { PageLike } from './PageLike.ts';
import { type Split, type Walked, type SplitSummary, mayBeTooLarge, withoutCapped } from './split/Split.ts';
import { claimIn } from './walk/readPage.ts';
import { specOf } from './walk/WalkedOperation.ts';
import { walkPages, withRows } from './walk/walkPages.ts';
import { callback, having, like, whole, declareOptions, optionError } from './options/index.ts';

export interface SplitWhenFullOptions<Query extends object, Row> extends Pick<MergeBoundedOptions, 'concurrency'> {
  /** When a walk counts as full: at this many rows, or when a function returns true. @default what the operation says */
  readonly full?: number | ((walked: Walked<Query>) => boolean) | undefined;
  /**
   * Returns narrower queries for a full one, or none if it can't be split. `byYear()`, `byRange()`, `byDates()` and `byValues()` make
   * such functions.
   */
  readonly split: Split<Query>;
  /**
   * The key that makes rows unique, so that each is emitted once: a field name or a function.
   * @default the operation's own id, else no row is dropped
   */
  readonly by?: Key<Row> | undefined;
  /** Receives a summary each time the operator ends, for example which queries stayed full. */
  readonly summary?: { next(summary: SplitSummary<Query>): void } | undefined;
}

const rowsOrTest = whole({ from: 1 });
const splitWhenFullOptions = declareOptions<SplitWhenFullOptions<object, unknown>>()({
  full: like('a number of rows or a function', (value) => typeof value === 'function' || rowsOrTest.fits(value)),
  split: callback<Split>('a function, such as byYear()').needed(),
  by: keyOption(),
  concurrency: mergeBoundedOptions.kinds.concurrency,
  summary: having('an object with next', 'next'),
});

/**
 * Turns queries into pages, for searches that return only the first rows of all there are. It walks a query. If the
 * walk was full, it walks the narrower queries that `split` returns, and so on until they aren't full or can't be
 * split.
 *
 * `walk` is an operation, or an operator that walks it: `offsetPages(client.scholarSearch, { maxItems: 500 })`. Full
 * queries that can't be split are reported as an event of the client and in the summary.
 *
 * - Order: a query's pages are in order. The pages of narrower queries follow them.
 * - Concurrency: `concurrency` walks at once. When a hundred queries wait, everything upstream pauses.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request per page. A full walk costs its pages too, although narrower ones return the same rows again. Ids
 *   of rows are kept in memory.
 *
 * @example
 * of({ query: 'graphene' }).pipe(splitWhenFull(client.scholarSearch, { split: byYear(), full: 1000 }), items())
 */
export function splitWhenFull<Query extends object, Page extends PageLike>(
  walk: PageFactory<Query, Page>,
  options: SplitWhenFullOptions<NoInfer<Query>, Page['items'][number]>,
): OperatorFunction<Query, Page>;
export function splitWhenFull<Query extends object, Page extends PageLike>(
  walk: (source: Observable<Query>) => Observable<Page>,
  options: SplitWhenFullOptions<Query, Page['items'][number]>,
): OperatorFunction<Query, Page>;
export function splitWhenFull<Query extends object, Page extends PageLike>(
  walk: PageFactory<Query, Page> | OperatorFunction<Query, Page>,
  options: SplitWhenFullOptions<NoInfer<Query>, Page['items'][number]>,
): OperatorFunction<Query, Page> {
  const factory = 'paging' in walk ? walk : undefined;
  const spec = factory && specOf(factory);
  const { concurrency, by, split, summary, ...given } = splitWhenFullOptions.read('splitWhenFull', options);
  const full = given.full ?? spec?.splits?.full ?? (split.bounded === undefined ? undefined : Infinity);
  if (full === undefined) {
    throw optionError('splitWhenFull', 'full', 'given, since the operation does not say how many rows it gives', full);
  }
  const isFull = typeof full === 'function' ? full : atLeast(full);
  const id = by ?? spec?.id;
  const keyOf = id === undefined ? undefined : keyReader('splitWhenFull', id as Key<unknown>);
  const quiet = factory === undefined ? undefined : withoutCapped(factory);
  const pagesOf =
    quiet === undefined
      ? (query: Query) => of(query).pipe(walk as OperatorFunction<Query, Page>)
      : walkPages(quiet, typeof full === 'number' && full !== Infinity ? { maxItems: full } : {});

  return (source) =>
    defer(() => {
      const limit = createConcurrencyLimit(concurrency);
      const known = new Set<unknown>();
      const left: Query[] = [];
      const counts = { queries: 0, rows: 0, again: 0, outside: 0 };

      const unseen = (rows: readonly unknown[]): readonly unknown[] => {
        const first = rows.filter((row) => {
          const key = keyOf?.(row);
          if (key === undefined || key === null) return true;
          const isNew = !known.has(key);
          if (isNew) known.add(key);
          return isNew;
        });
        counts.rows += first.length;
        counts.again += rows.length - first.length;
        return first.length === rows.length ? rows : first;
      };
      /** `widerClaim`: the number of rows that the service claims for the query that this one was split from. */
      const walkOf =
        (widerClaim?: number) =>
        (query: Query): Observable<Page> => {
          const rows: unknown[] = [];
          let pages = 0;
          let data: unknown;
          let claim: number | undefined;
          let isClaimedFull = false;
          let halves: readonly Query[] = [];
          counts.queries++;
          const walked = pagesOf(query).pipe(
            limitConcurrency<Page>(limit),
            map((page) => {
              pages++;
              if (pages === 1) ({ data } = page);
              claim = spec === undefined ? claim : (claimIn(spec, query, page) ?? claim);
              if (typeof full === 'number') isClaimedFull = split.isFull?.(query, { full, claim, widerClaim, factory: spec }) === true;
              for (const row of page.items) rows.push(row);
              const first = unseen(page.items);
              return first === page.items ? page : withRows(page, first);
            }),
            takeWhile(() => !isClaimedFull, true),
            catchError((error: unknown) => {
              if (pages === 0 && mayBeTooLarge(error)) halves = split.halved?.(query) ?? [];
              if (halves.length === 0) throw error;
              return EMPTY;
            }),
          );
          return concat(
            walked,
            defer(() => {
              const ended = { query, rows, pages, data, claim, widerClaim };
              const more = halves.length > 0 ? halves : isClaimedFull || isFull(ended) ? narrowerThan(ended) : [];
              return more.length > 0 ? from(more).pipe(mergeBounded(walkOf(claim), { concurrency })) : EMPTY;
            }),
          );
        };
      const narrowerThan = (walked: Walked<Query>): readonly Query[] => {
        const { query, pages, rows } = walked;
        const narrower = split(query, { ...walked, full: typeof full === 'number' ? full : undefined, factory: spec });
        if (narrower.length > 0) return narrower;
        left.push(query);
        factory?.notify?.({ type: 'capped', operation: factory.name, query, limit: 'full', pages, items: rows.length });
        return [];
      };
      const bounded = (query: Query): Observable<Page> => from(split.bounded!(query)).pipe(mergeBounded(walkOf(), { concurrency }));
      return source.pipe(
        mergeBounded(split.bounded === undefined ? walkOf() : bounded, { concurrency }),
        finalize(() => summary?.next({ ...counts, full: left })),
      );
    });
}

function atLeast(full: number): (walked: Walked) => boolean {
  return ({ rows }) => rows.length >= full;
}
