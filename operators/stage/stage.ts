import { from, Observable, type ObservableInput, type OperatorFunction, type Subscriber } from 'rxjs';
import { checkCount } from '../checkCount.ts';
import { DemandNode } from '../demand/DemandNode.ts';
import { currentDemand } from '../demand/demandScope.ts';
import { waitForDemand } from '../demand/waitForDemand.ts';
import { emitter } from './emitter.ts';
import { listen } from './listen.ts';
import { Queue } from './Queue.ts';

export interface StageOptions {
  /** Inner streams at once. @default 8 */
  readonly concurrency?: number | undefined;
  /** Waiting values from which on what is above holds; it goes on at half of that. @default 100 */
  readonly mark?: number | undefined;
  /** Opens streams although something nearer to the sink holds. @default false */
  readonly eager?: boolean | undefined;
}

/**
 * The bounded stage that walks and fan-outs are made of, for a stage of your own: each value opens a stream, the
 * streams are merged.
 *
 * - Order: streams open in the order of the values; what they give is merged as it comes.
 * - Concurrency: at most `concurrency` streams at once, and no new one while something nearer to the sink holds. The
 *   other values wait; at `mark` of them everything above that heeds demand is held. Time is linear in their number.
 * - Cancellation: unsubscribing ends the source and every stream, and forgets what waits.
 * - An error of a stream, or of `open`, ends everything.
 * - Cost: none of its own.
 *
 * @example
 * ids$.pipe(stage((id) => lookUp(id), { concurrency: 4 }))
 */
export function stage<In, Out>(open: (value: In) => ObservableInput<Out>, options: StageOptions = {}): OperatorFunction<In, Out> {
  const concurrency = checkCount('stage', 'concurrency', options.concurrency ?? 8);
  const mark = checkCount('stage', 'mark', options.mark ?? 100);

  return (source) =>
    new Observable<Out>((destination) => {
      const parent = currentDemand();
      const node = new DemandNode(parent);
      const out = emitter(destination, parent);
      const backlog = new Queue<In>();
      const active = new Set<Subscriber<Out>>();
      let exhausted = false;
      let draining = false;
      let waiting: (() => void) | undefined;

      const start = (value: In): void => {
        let inner: Observable<Out>;
        try {
          inner = from(open(value));
        } catch (error) {
          out.error(error);
          return;
        }
        let own: Subscriber<Out>;
        const ended = (): void => {
          active.delete(own);
          drain();
        };
        listen(inner, parent, { next: out.next, error: out.error, complete: ended }, (subscriber) => active.add((own = subscriber)));
      };

      const resume = (): void => {
        waiting = undefined;
        drain();
      };
      const held = (): boolean => options.eager !== true && (waiting ??= waitForDemand(parent, resume)) !== undefined;

      // A loop rather than a call from each end to the next start: streams that end at once must not grow the stack.
      const drain = (): void => {
        if (draining) return;
        draining = true;
        while (backlog.length > 0 && active.size < concurrency && !destination.closed && !held()) start(backlog.shift() as In);
        draining = false;
        if (destination.closed) return;
        if (backlog.length <= mark / 2) node.release();
        if (exhausted && backlog.length === 0 && active.size === 0) out.complete();
      };

      let upstream: Subscriber<In> | undefined;
      destination.add(() => {
        upstream?.unsubscribe();
        waiting?.();
        for (const inner of active) inner.unsubscribe();
        active.clear();
        backlog.clear();
        node.release();
      });
      listen(
        source,
        node,
        {
          next(value) {
            backlog.push(value);
            drain();
            if (backlog.length >= mark) node.hold();
          },
          error: out.error,
          complete() {
            exhausted = true;
            drain();
          },
        },
        (subscriber) => (upstream = subscriber),
      );
    });
}
