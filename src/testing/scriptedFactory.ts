import { defer, finalize, map, type Observable } from 'rxjs';
import type { CursorPaging, OffsetPaging, PageFactory, PageLike, WalkEvent } from '../../operators/PageFactory.ts';

/** A page of a script. `data` is what a token or a count is read from. */
export interface ScriptedPage {
  readonly items: readonly object[];
  readonly data?: object | undefined;
}

/** One response as marbles: `--p|` gives the page `p` after two frames, `--#` an error. */
export interface Script {
  readonly marbles: string;
  /** By letter. @default a page with one row, `{ id: letter }` */
  readonly pages?: { readonly [letter: string]: ScriptedPage } | undefined;
  readonly error?: unknown;
}

type ScriptedQuery = { readonly [param: string]: string | number | boolean | undefined };
type Row = { readonly [field: string]: unknown };
export interface ScriptedFactory<Paging> extends PageFactory<ScriptedQuery, PageLike & { readonly items: readonly Row[] }, Paging> {
  /** The queries that were requested, in order. */
  readonly requests: readonly ScriptedQuery[];
  /** Requests in flight. */
  readonly open: () => number;
  /** What walks told: that a limit ended them, that they are short. */
  readonly events: readonly WalkEvent[];
}

/**
 * An operation whose responses are scripted by marbles, for tests of pipes in virtual time. `cold` is that of RxJS's
 * `TestScheduler`.
 *
 * @example
 * scheduler.run(({ cold, expectObservable }) => {
 *   const search = scriptedFactory(cold, { kind: 'cursor', param: 'after', at: ['next'] }, ({ after }) => ({
 *     marbles: '--p|',
 *     pages: { p: { items: [{ after }], data: after === undefined ? { next: '2' } : {} } },
 *   }));
 *   expectObservable(of({}).pipe(expandCursor(search), map(({ items }) => items.length))).toBe('--1--1|', { 1: 1 });
 * });
 */
export function scriptedFactory<Paging = CursorPaging | OffsetPaging>(
  cold: (marbles: string, values?: { [letter: string]: string }, error?: unknown) => Observable<string>,
  paging: Paging,
  script: (query: ScriptedQuery) => Script,
): ScriptedFactory<Paging> {
  const requests: ScriptedQuery[] = [];
  const events: WalkEvent[] = [];
  let open = 0;
  const call = (query: ScriptedQuery): Observable<PageLike & { readonly items: readonly Row[] }> =>
    defer(() => {
      requests.push(query);
      open += 1;
      const { marbles, pages, error } = script(query);
      return cold(marbles, undefined, error).pipe(
        map((letter) => {
          const { items, data = {} } = pages?.[letter] ?? { items: [{ id: letter }] };
          return { operation: 'scripted', query, data, items: items as readonly Row[] };
        }),
        finalize(() => (open -= 1)),
      );
    });
  const described = { paging, requests, events, open: () => open, notify: (event: WalkEvent): void => void events.push(event) };
  return Object.defineProperty(Object.assign(call, described), 'name', { value: 'scripted' });
}
