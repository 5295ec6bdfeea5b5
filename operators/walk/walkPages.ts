import { Observable, type Subscriber } from 'rxjs';
import { currentDemand } from '../demand/demandScope.ts';
import { waitForDemand } from '../demand/waitForDemand.ts';
import type { PageFactory, PageLike } from '../PageFactory.ts';
import { emitter } from '../stage/emitter.ts';
import { listen } from '../stage/listen.ts';
import { paginationError } from './paginationError.ts';
import { startWalk } from './startWalk.ts';
import { stepWalk } from './stepWalk.ts';
import { withRows } from './withRows.ts';
import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';
import type { WalkStep } from './WalkStep.ts';

/** The pages of one query, one after the other: a page is asked for once its predecessor was delivered and somebody still listens. */
export function walkPages<Query extends object, Page extends PageLike>(
  factory: PageFactory<Query, Page, WalkFactory['paging']>,
  query: Query,
  options: WalkOptions & { readonly rows?: string | undefined },
): Observable<Page> {
  return new Observable((destination) => {
    const node = currentDemand();
    const out = emitter(destination, node);
    let state = startWalk(factory, query, options);
    let current: Subscriber<Page> | undefined;
    let asking = false;
    let more = true;
    let waiting: (() => void) | undefined;
    destination.add(() => {
      current?.unsubscribe();
      waiting?.();
    });

    const follow = (step: WalkStep<Query> | undefined): void => {
      if (step === undefined) return out.error(paginationError(factory, 'the answer to this query held no page', state.query, undefined));
      if (step.kind === 'error') return out.error(step.error);
      if (step.kind === 'next') {
        state = step.state;
        more = true;
        return ask();
      }
      if (step.reason === 'truncated') factory.notify?.(step.event);
      out.complete();
    };

    const resume = (): void => {
      waiting = undefined;
      ask();
    };
    const held = (): boolean => (waiting ??= waitForDemand(node, resume)) !== undefined;

    // A loop rather than a call from each page to the next: pages that come at once must not grow the stack.
    const ask = (): void => {
      if (asking) return;
      asking = true;
      while (more && !destination.closed && !held()) {
        more = false;
        let step: WalkStep<Query> | undefined;
        const next = (page: Page): void => {
          if (step !== undefined) return;
          step = stepWalk(factory, state, page, options);
          for (const notice of step.notices) factory.notify?.(notice);
          if (step.rows === page.items) out.next(page);
          else if (step.rows.length > 0) out.next(withRows(page, step.rows));
        };
        try {
          const page = factory(state.query, options.rows === undefined ? undefined : { rows: options.rows });
          const observer = { next: orFail(next), error: out.error, complete: orFail(() => follow(step)) };
          listen(page, node, observer, (subscriber) => (current = subscriber));
        } catch (error) {
          out.error(error);
        }
      }
      asking = false;
    };

    // What the caller gave (cursorAt, notify, paginationError) may throw.
    const orFail =
      <A extends unknown[]>(work: (...args: A) => void) =>
      (...args: A): void => {
        try {
          work(...args);
        } catch (error) {
          out.error(error);
        }
      };
    ask();
  });
}
