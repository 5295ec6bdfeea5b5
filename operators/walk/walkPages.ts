import { Observable, type Subscription } from 'rxjs';
import { Outlet, type Handlers } from '../kit/Outlet.ts';
import type { PageFactory } from '../PageFactory.ts';
import type { PageLike } from '../PageLike.ts';
import { refusedRecheck, setUnreliable } from './Recheck.ts';
import { pageError, type WalkStep, moveWalk, startWalk } from './Walk.ts';
import { kindOf, lackingParams } from './paging/pagingKinds.ts';
import { specOf } from './WalkedOperation.ts';
import { stepWalk } from './stepWalk.ts';
import type { WalkOptions } from './WalkOptions.ts';

interface WalkPagesOptions extends WalkOptions {
  /** Pages requested in parallel. Above 1 only if pages are counted in fixed steps. @default 1 */
  readonly window?: number | undefined;
}

/** A request of a walk, until its page is delivered. */
interface Slot<Query extends object, Page> {
  readonly query: Query;
  page: Page | undefined;
  /** What follows from the page, set once it is delivered. */
  step: WalkStep | undefined;
  failure: { readonly error: unknown } | undefined;
  over: boolean;
  request: Subscription | undefined;
}

/**
 * Returns a function from a query to its pages, in order. At most `window` pages are requested ahead of delivery. If queries may share a
 * request, the first page is requested alone, because it says which ids the later ones are for. When a page says that it is the last,
 * requests for later pages are cancelled.
 */
export function walkPages<Query extends object, Page extends PageLike>(
  factory: PageFactory<Query, Page>,
  options: WalkPagesOptions,
): (query: Query) => Observable<Page> {
  const { window = 1, rows } = options;
  const request = rows === undefined ? undefined : { rows };
  const lastAllowed = (options.maxPages ?? Infinity) - 1;
  const operation = specOf(factory);
  const { paging } = operation;
  const kind = kindOf(paging);
  const firstWindow = window > 1 && Object.values(operation.params ?? {}).some(({ batch }) => batch !== undefined) ? 1 : window;
  const errorOf = (message: string, at: object): Error =>
    pageError(factory, { message: `${operation.name}: ${message}`, query: at, lastCursor: undefined });

  return (query) =>
    new Observable((destination) => {
      const out = new Outlet(destination);
      const lacking = lastAllowed === 0 ? [] : lackingParams(paging, query);
      if (lacking.length > 0)
        return destination.error(errorOf(`pages after the first need ${lacking.join(' and ')}: give it, or set maxPages to 1`, query));
      let state = startWalk(operation, query, options);
      const slots = new Map<number, Slot<Query, Page>>();
      /** The index of the last page to request, as far as known. */
      let last = lastAllowed;
      let requested = 0;
      let delivered = 0;

      const endAt = (index: number): void => {
        last = Math.min(last, index);
        for (const [other, slot] of slots) {
          if (other > last) {
            slots.delete(other);
            slot.request?.unsubscribe();
          }
        }
      };

      const requestNext = (): void => {
        const index = requested++;
        const ahead = index - delivered;
        const wanted = ahead === 0 ? state.query : (kind.ahead(state.query, ahead) ?? state.query);
        const slot: Slot<Query, Page> = {
          query: wanted,
          page: undefined,
          step: undefined,
          failure: undefined,
          over: false,
          request: undefined,
        };
        slots.set(index, slot);
        const over = (): void => {
          slot.over = true;
          advance();
        };
        const handlers: Handlers<Page> = {
          next(page) {
            slot.page ??= page;
            if (window > 1 && !('cursor' in kind.onward({ operation, state: { ...state, query: slot.query }, page, options })))
              endAt(index);
            advance();
          },
          error(error) {
            // The error is kept until its turn: an earlier page may turn out to be the last, and then it doesn't matter.
            const end = index === delivered ? refusedRecheck(operation, state, error) : undefined;
            if (end === undefined) slot.failure = { error };
            else slot.page = end as Page; // it has no rows, so it isn't emitted
            over();
          },
          complete: over,
        };
        const { batch } = state;
        slot.request = out.listen(factory(slot.query, batch === undefined ? request : { ...request, batch }), handlers, out.node, out.lazy);
      };

      /** Delivers the next page if it has arrived, and moves on if its request is over. False: not yet, or the walk has ended. */
      const deliver = (): boolean => {
        const slot = slots.get(delivered);
        if (slot === undefined) return false;
        const { page } = slot;
        if (page !== undefined && slot.step === undefined) {
          const step = (slot.step = stepWalk(operation, state, page, options));
          if (step.unreliable !== undefined) setUnreliable(page, step.unreliable);
          for (const notice of step.notices) factory.notify?.(notice);
          if (step.kind === 'end') endAt(delivered);
          if (step.rows === page.items) out.next(page);
          else if (step.rows.length > 0) out.next(withRows(page, step.rows));
        }
        if (out.closed || !slot.over) return false;
        slots.delete(delivered);
        const { step, failure } = slot;
        if (failure !== undefined || step === undefined) {
          out.error(failure === undefined ? errorOf('the response to this query held no page', slot.query) : failure.error);
          return false;
        }
        if (step.kind !== 'next') {
          finish(step);
          return false;
        }
        state = moveWalk(operation, state, step.move, options);
        if (state.recheck === undefined) delivered += 1;
        else {
          endAt(delivered);
          [last, requested] = [lastAllowed, delivered];
        }
        return true;
      };

      const finish = (step: Exclude<WalkStep, { readonly kind: 'next' }>): void => {
        if (step.kind === 'error') return out.error(pageError(factory, step.fault));
        if (step.reason === 'capped') factory.notify?.(step.event);
        else if (step.reason === 'complete' && step.short !== undefined) {
          const { got, claimed, tolerable } = step.short;
          factory.notify?.({ type: 'short', operation: factory.name, query, ...step.short });
          if (options.onShort === 'error' && !tolerable) {
            const message = `the walk ended with ${got} of the ${claimed} rows that the service says there are`;
            return out.error(errorOf(message, query));
          }
        }
        out.complete();
      };

      const advance = out.pump({
        eager: factory.heedsDemand,
        ready() {
          while (!out.closed && deliver());
          return requested <= last && requested < delivered + (delivered === 0 ? firstWindow : window);
        },
        step: requestNext,
      });
      advance();
    });
}

/** The same factory, whose walks report to `notify`. */
export function notified<Query extends object, Page extends PageLike>(
  factory: PageFactory<Query, Page>,
  notify: NonNullable<PageFactory<Query, Page>['notify']>,
): PageFactory<Query, Page> {
  const copy = (...args: Parameters<typeof factory>): ReturnType<typeof factory> => factory(...args);
  return Object.defineProperties(copy, { ...Object.getOwnPropertyDescriptors(factory), notify: { value: notify } }) as typeof factory;
}

/** A copy of the page with these rows only. Properties that aren't enumerable in a client's page aren't enumerable here either. */
export function withRows<Page extends PageLike>(page: Page, rows: readonly unknown[]): Page {
  const hidden = { list: { value: page.list }, origin: { value: page.origin } };
  return Object.defineProperties({ ...page, items: rows }, hidden);
}
