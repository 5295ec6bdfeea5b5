import { catchError, mergeMap, Observable, throwError, type ObservableInput } from 'rxjs';
import type { ChildPage } from '../ChildPage.ts';
import { DemandNode } from '../demand/DemandNode.ts';
import { withDemand } from '../demand/demandScope.ts';
import type { FanOut } from '../fanOut.ts';
import type { PageLike, PageRequest } from '../PageFactory.ts';
import type { ChildPagesOptions } from './ChildPagesOptions.ts';
import { childPages } from './childPages.ts';
import { OverviewExpiredError } from './OverviewExpiredError.ts';

/** A page of a web search, which may name the address of an AI overview. */
export interface OverviewSource<Query extends object> extends PageLike {
  readonly query: Query;
  readonly data: { readonly ai_overview_url?: string | null | undefined };
}

export interface AiOverviewsOptions<Source, Child> extends Omit<ChildPagesOptions<never, Source, Child>, 'with' | 'concurrency'> {
  /** Whether an error means that the address is too old. @default an HTTP 4xx, or an envelope that isn't success */
  readonly expired?: ((error: unknown) => boolean) | undefined;
}

/**
 * Pages of a web search to the AI overviews they name, each address once. Pages that name none are left out.
 *
 * An address lives for about two minutes, so it is asked for at once: before every other request that waits, and even
 * while something nearer to the sink holds. When it is too old all the same, its search is asked once more; when that
 * doesn't help, the page fails with an `OverviewExpiredError`.
 *
 * - Order: overviews as they come.
 * - Concurrency: as many as there are; the client's own limit stands.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a page that names one, three when the address was too old, and what the client tries again: tell it
 *   the envelope code of an address that is too old (`envelopeCodes: { 410: 'fail' }`), so that it doesn't.
 *
 * @example
 * of({ query: 'why is the sky blue' }).pipe(offsetPages(client.webSearch, { maxPages: 1 }), aiOverviews(client), items())
 */
export function aiOverviews<Query extends object, Page extends PageLike, Source extends OverviewSource<Query>>(
  client: {
    readonly webSearch: (query: Query, request?: PageRequest) => Observable<Source>;
    readonly aiOverview: (query: { readonly url: string }, request?: PageRequest) => Observable<Page>;
  },
  options: AiOverviewsOptions<Source, ChildPage<Page, Source>> = {},
): FanOut<Source, ChildPage<Page, Source>> {
  const expired = options.expired ?? seemsExpired;
  const overview = (query: { readonly url: string }): Observable<Page> => urgently(() => client.aiOverview(query));

  const again = (source: Source, error: unknown): ObservableInput<Page> => {
    if (!expired(error)) throw error;
    const gaveUp = (cause: unknown): Observable<never> =>
      throwError(() => (expired(cause) ? new OverviewExpiredError(source.query, cause) : cause));
    return urgently(() => client.webSearch(source.query)).pipe(
      mergeMap(({ data: { ai_overview_url: url } }) => (url ? overview({ url }).pipe(catchError(gaveUp)) : gaveUp(error))),
    );
  };

  return childPages(
    (source: Source) => {
      const url = source.data.ai_overview_url;
      return url ? [{ parent: source, id: url, query: { url } }] : [];
    },
    (query: { readonly url: string }, source) => overview(query).pipe(catchError((error: unknown) => again(source, error))),
    { ...options, concurrency: Infinity, eager: true },
  );
}

/** Subscribes before everything else that waits, and out of reach of whatever holds. */
function urgently<T>(open: () => Observable<T>): Observable<T> {
  return new Observable((destination) => withDemand(new DemandNode(undefined, -Infinity), () => open().subscribe(destination)));
}

function seemsExpired(error: unknown): boolean {
  const { name, status } = (typeof error === 'object' && error !== null ? error : {}) as { name?: unknown; status?: unknown };
  return name === 'EnvelopeError' || (name === 'HttpError' && typeof status === 'number' && status >= 400 && status < 500);
}
