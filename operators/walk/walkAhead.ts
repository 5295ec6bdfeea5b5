import { Observable, type Subscriber } from 'rxjs';
import { currentDemand } from '../demand/demandScope.ts';
import { waitForDemand } from '../demand/waitForDemand.ts';
import type { OffsetPaging, PageFactory, PageLike } from '../PageFactory.ts';
import { emitter } from '../stage/emitter.ts';
import { listen } from '../stage/listen.ts';
import { nextOffset } from './nextOffset.ts';
import { paginationError } from './paginationError.ts';
import { startWalk } from './startWalk.ts';
import { stepWalk } from './stepWalk.ts';
import { withRows } from './withRows.ts';
import type { WalkOptions } from './WalkOptions.ts';

/**
 * The pages of one query, `lookahead` of them asked for side by side and delivered in order. Page n is asked for once
 * page n - lookahead was delivered; as soon as a page says that it is the last, those behind it are ended unasked.
 */
export function walkAhead<Query extends object, Page extends PageLike>(
  factory: PageFactory<Query, Page, OffsetPaging & { readonly step: number }>,
  query: Query,
  options: WalkOptions & { readonly rows?: string | undefined; readonly lookahead: number },
): Observable<Page> {
  return new Observable((destination) => {
    const node = currentDemand();
    const out = emitter(destination, node);
    const { param, step } = factory.paging;
    const request = options.rows === undefined ? undefined : { rows: options.rows };
    let state = startWalk(factory, query, options);
    const first = state;
    const begin = (first.query as { readonly [param: string]: number | undefined })[param] ?? factory.paging.first ?? 0;
    const arrived = new Map<number, Page>();
    const failures = new Map<number, unknown>();
    const inFlight = new Map<number, Subscriber<Page>>();
    /** The last page that is worth asking for, as far as is known. */
    let last = (options.maxPages ?? Infinity) - 1;
    let asked = 0;
    let delivered = 0;
    let busy = false;
    let waiting: (() => void) | undefined;
    destination.add(() => {
      waiting?.();
      for (const subscriber of inFlight.values()) subscriber.unsubscribe();
      arrived.clear();
    });

    const endAt = (index: number): void => {
      last = Math.min(last, index);
      for (const [other, subscriber] of inFlight) {
        if (other > last) {
          inFlight.delete(other);
          subscriber.unsubscribe();
        }
      }
    };

    const ask = (index: number): void => {
      const asking = index === 0 ? first.query : { ...first.query, [param]: begin + index * step };
      const observer = {
        next(page: Page): void {
          if (index > last || arrived.has(index) || index < delivered) return;
          arrived.set(index, page);
          const ends = nextOffset(factory, { ...first, query: asking }, page, options, []).kind !== 'cursor';
          if (ends) endAt(index);
        },
        error: (error: unknown): void => {
          // A page before this one may turn out to be the last, and then the error concerns nobody.
          failures.set(index, error);
          inFlight.delete(index);
          advance();
        },
        complete(): void {
          inFlight.delete(index);
          if (!arrived.has(index)) {
            failures.set(index, paginationError(factory, 'the answer to this query held no page', asking, undefined));
          }
          advance();
        },
      };
      listen(factory(asking, request), node, observer, (subscriber) => inFlight.set(index, subscriber));
    };
    /** Delivers what is next in order; false: nothing more can be done now. */
    const deliver = (): boolean => {
      if (failures.has(delivered)) {
        out.error(failures.get(delivered));
        return false;
      }
      const page = arrived.get(delivered);
      if (page === undefined || inFlight.has(delivered)) return false;
      arrived.delete(delivered);
      const walked = stepWalk(factory, state, page, options);
      for (const notice of walked.notices) factory.notify?.(notice);
      if (walked.kind === 'end') endAt(delivered);
      delivered += 1;
      if (walked.rows === page.items) out.next(page);
      else if (walked.rows.length > 0) out.next(withRows(page, walked.rows));
      if (destination.closed) return false;
      if (walked.kind === 'next') {
        state = walked.state;
        return true;
      }
      if (walked.kind === 'error') out.error(walked.error);
      else {
        if (walked.reason === 'truncated') factory.notify?.(walked.event);
        out.complete();
      }
      return false;
    };

    const resume = (): void => {
      waiting = undefined;
      advance();
    };
    const held = (): boolean => (waiting ??= waitForDemand(node, resume)) !== undefined;

    const advance = (): void => {
      if (busy) return;
      busy = true;
      try {
        do {
          while (asked <= last && asked < delivered + options.lookahead && !destination.closed && !held()) ask(asked++);
        } while (!destination.closed && deliver());
      } catch (error) {
        out.error(error);
      }
      busy = false;
    };
    advance();
  });
}
