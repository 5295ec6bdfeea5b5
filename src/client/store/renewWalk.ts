import { concatMap, Observable, of, throwError, type Unsubscribable } from 'rxjs';
import type { Token } from '../../../operators/PageLike.ts';
import { hasContent, isToken } from '../../../operators/walk/paging/followToken.ts';
import { valueAt } from '../../../operators/kit/path.ts';
import { canonicalQuery, pagingKindOf, pagingRequestOf, type Operation } from '../../contract/index.ts';
import { StoreError } from '../../errors/index.ts';
import type { CallRequest } from '../attempt/CallRequest.ts';
import type { Page } from '../Client.ts';
import type { SpanRequest } from '../spans/SpanReader.ts';
import type { StoredResponses } from './StoredResponses.ts';

const maxWalk = 1000;
const ignore = (): void => undefined;

/** The query of the first page of the walk that a query is part of. */
export function firstQueryOf({ name, spec: { paging } }: Operation, query: object): object {
  const { params, writes } = pagingRequestOf(paging);
  const written = [params[0] ?? '', ...writes];
  const rest = Object.fromEntries(Object.entries(query).filter(([member]) => !written.includes(member)));
  return pagingKindOf(paging).begin(rest, {}, name).query;
}

/** Follows the stored pages of a walk up to a query. Passes on how many they are. undefined: they don't lead there. */
export function storedPagesBefore(
  responses: StoredResponses,
  { operation, query }: SpanRequest,
  done: (pages: number | undefined) => void,
): void {
  const { paging } = operation.spec;
  const wanted = canonicalQuery(operation, query);
  const read = (page: object, pages: number): void => {
    const request = { operation, query: page };
    const stored = responses.look(responses.keyOf(operation, page), ignore);
    if (stored === undefined || pages > maxWalk) return done(undefined);
    responses.read(request, stored, ignore, (found) => {
      const token = found === undefined ? undefined : tokenIn(operation, found.payload.data);
      if (token === undefined) return done(undefined);
      const next = pagingKindOf(paging).move(page, token, {});
      if (canonicalQuery(operation, next) === wanted) return done(pages);
      setImmediate(() => read(next, pages + 1));
    });
  };
  const first = firstQueryOf(operation, query);
  if (pagingRequestOf(paging).tokenAt.length === 0 || canonicalQuery(operation, first) === wanted) done(undefined);
  else read(first, 1);
}

/** Requests the pages of a walk again. The query with the token that they have now. `begin` gets one of them from the service. */
export function renewQuery(
  { operation, plan, query, label, node }: CallRequest,
  pages: number,
  begin: (page: CallRequest) => Unsubscribable,
): Observable<object> {
  const request = (page: object): Observable<Page> =>
    new Observable((subscriber) => begin({ operation, plan, query: page, rows: undefined, label, renews: true, node, subscriber }));
  const follow = (before: object, left: number): Observable<object> =>
    request(before).pipe(
      concatMap((page) => {
        const token = tokenIn(operation, page.data);
        if (token === undefined) {
          const message = `${operation.name}: the walk that came from the store is shorter now, and ends before this page`;
          return throwError(() => new StoreError(message, { operation: operation.name, query }));
        }
        const next = pagingKindOf(operation.spec.paging).move(before, token, {});
        return left === 1 ? of(next) : follow(next, left - 1);
      }),
    );
  return follow(firstQueryOf(operation, query), pages);
}

/** The token at the first of an operation's paths that has one. */
function tokenIn({ spec: { paging } }: Operation, data: unknown): Token | undefined {
  const found = pagingRequestOf(paging)
    .tokenAt.map((path) => valueAt(data, path))
    .find(hasContent);
  return isToken(found) ? found : undefined;
}
