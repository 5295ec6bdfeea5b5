import { defer, finalize, map, type Observable } from 'rxjs';
import type { PageFactory } from '../../operators/PageFactory.ts';
import type { PageLike, WalkEvent } from '../../operators/PageLike.ts';
import type { Paging } from '../../operators/walk/paging/pagingKinds.ts';
import type { WalkedOperation } from '../../operators/walk/WalkedOperation.ts';

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
export interface ScriptedFactory<Pages> extends PageFactory<ScriptedQuery, PageLike & { readonly items: readonly Row[] }, Pages> {
  /** The queries that were requested, in order. */
  readonly requests: readonly ScriptedQuery[];
  /** Requests in flight. */
  readonly open: () => number;
  /** What walks told: that a limit ended them, that they are short. */
  readonly events: readonly WalkEvent[];
}

/**
 * An operation whose responses are scripted by marbles, for tests of pipes in virtual time. `cold` is that of RxJS's
 * `TestScheduler`. `operation` is what a walk is to know of it: its paging, and totals, ids or caps.
 *
 * @example
 * scheduler.run(({ cold, expectObservable }) => {
 *   const search = scriptedFactory(cold, { paging: { kind: 'cursor', param: 'after', at: ['next'] } }, ({ after }) => ({
 *     marbles: '--p|',
 *     pages: { p: { items: [{ after }], data: after === undefined ? { next: '2' } : {} } },
 *   }));
 *   expectObservable(of({}).pipe(expandCursor(search), map(({ items }) => items.length))).toBe('--1--1|', { 1: 1 });
 * });
 */
export function scriptedFactory<const Pages extends Paging>(
  cold: (marbles: string, values?: { [letter: string]: string }, error?: unknown) => Observable<string>,
  operation: Partial<WalkedOperation> & { readonly paging: Pages },
  script: (query: ScriptedQuery) => Script,
): ScriptedFactory<Pages> {
  const spec = { name: 'scripted', ...operation };
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
          return { operation: spec.name, query, data, items: items as readonly Row[] };
        }),
        finalize(() => (open -= 1)),
      );
    });
  const described = {
    paging: spec.paging,
    spec,
    requests,
    events,
    open: () => open,
    notify: (event: WalkEvent): void => void events.push(event),
  };
  return Object.defineProperty(Object.assign(call, described), 'name', { value: spec.name });
}
