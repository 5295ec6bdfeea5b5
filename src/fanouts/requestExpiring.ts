import { catchError, mergeMap, Observable, throwError } from 'rxjs';
import { DemandNode } from '../../operators/demand/DemandNode.ts';
import { withDemand } from '../../operators/demand/demandScope.ts';
import type { PageLike } from '../../operators/PageLike.ts';
import { entriesOf, queriesOf, type FanOutSpec } from '../contract/index.ts';
import { failureKinds } from '../errors/TrawlerError.ts';
import { ExpiredError, type TrawlerError } from '../errors/index.ts';

interface ExpiringQuery<Page> {
  readonly spec: FanOutSpec;
  readonly query: object;
  readonly request: (query: object) => Observable<Page>;
  /** The query that gave the row, and how to send it again. */
  readonly source: { readonly query: object; readonly request: (query: object) => Observable<PageLike> } | undefined;
  readonly expired?: ((error: unknown) => boolean) | undefined;
}

/**
 * For an address or token of a page that expires after a few minutes. It is requested before all waiting requests, even while something
 * nearer to the sink holds. If it is refused, the query that gave it is repeated once, to get a new one. If that doesn't help, it fails
 * with an `ExpiredError`. Costs one request, or three.
 */
export function requestExpiring<Page>({ spec, query, request, source, expired = seemsExpired }: ExpiringQuery<Page>): Observable<Page> {
  const failed = (cause: unknown): Observable<never> =>
    throwError(() => (expired(cause) ? new ExpiredError(spec.call, source?.query ?? query, cause) : cause));
  return urgently(() => request(query)).pipe(
    catchError((error: unknown) => {
      if (source === undefined || !expired(error)) return failed(error);
      return urgently(() => source.request(source.query)).pipe(
        mergeMap((page) => {
          const [renewed] = (entriesOf(spec, page) ?? page.items.filter((row) => typeof row === 'object' && row !== null)).flatMap((row) =>
            queriesOf(spec, row, page),
          );
          return renewed === undefined ? failed(error) : urgently(() => request({ ...query, ...renewed })).pipe(catchError(failed));
        }),
      );
    }),
  );
}

/** Subscribes under a node of its own, which goes first and which nothing holds. */
function urgently<T>(open: () => Observable<T>): Observable<T> {
  return new Observable((destination) => withDemand(new DemandNode(undefined, -Infinity), () => open().subscribe(destination)));
}

/** Whether the service refused a request, for a reason that doesn't pass. */
function seemsExpired(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, status, kind } = error as Partial<TrawlerError>;
  if (kind !== undefined && failureKinds[kind].passes) return false;
  return name === 'EnvelopeError' || (name === 'HttpError' && status !== undefined && status >= 400 && status < 500);
}
