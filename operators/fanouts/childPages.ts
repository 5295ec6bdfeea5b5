import { map, mergeMap, type Observable, type OperatorFunction } from 'rxjs';
import type { ChildPage } from '../ChildPage.ts';
import type { Failure } from '../Failure.ts';
import { fanOut, type FanOut } from '../fanOut.ts';
import type { PageLike } from '../PageFactory.ts';
import type { ChildPagesOptions } from './ChildPagesOptions.ts';

/** One query to make for a row, and the id that makes it worth making once. */
export interface Seed<Parent, Query> {
  readonly parent: Parent;
  readonly id: string;
  readonly query: Query;
}

/**
 * What the ready fan-outs are made of: a row names the ids to ask for, each id is asked for once, and each page knows
 * the row it was asked for. A failure's `row` is that row, its `key` the id.
 */
export function childPages<Source, Parent, Query extends object, Page extends PageLike>(
  seedsOf: (source: Source) => Iterable<Seed<Parent, Query>>,
  pagesOf: (query: Query, parent: Parent) => Observable<Page>,
  options: ChildPagesOptions<Query, Parent, ChildPage<Page, Parent>> & { readonly eager?: boolean },
): FanOut<Source, ChildPage<Page, Parent>, Parent> {
  const { onError, failures } = options;
  type Child = ChildPage<Page, Parent>;
  const ofParent = (failure: Failure<Seed<Parent, Query>>): Failure<Parent> => ({
    ...failure,
    row: failure.row.parent,
    query: failure.query ?? failure.row.query,
  });
  const extra = (parent: Parent): Partial<Query> | undefined => (typeof options.with === 'function' ? options.with(parent) : options.with);

  const pages = fanOut<Seed<Parent, Query>, Child>(
    ({ parent, query }) => pagesOf({ ...query, ...extra(parent) }, parent).pipe(map((page) => withParent(page, parent))),
    {
      by: 'id',
      memory: options.memory,
      concurrency: options.concurrency,
      eager: options.eager,
      onError: typeof onError === 'function' ? (failure) => onError(ofParent(failure)) : onError,
      failures: failures && { next: (failure) => failures.next(ofParent(failure)) },
    },
  );
  const operator: OperatorFunction<Source, Child> = (source) => source.pipe(mergeMap(seedsOf), pages);
  return Object.assign(operator, { failures$: pages.failures$.pipe(map(ofParent)) });
}

function withParent<Page extends PageLike, Parent>(page: Page, parent: Parent): ChildPage<Page, Parent> {
  return Object.defineProperty(page, 'parent', { value: parent, configurable: true }) as ChildPage<Page, Parent>;
}
