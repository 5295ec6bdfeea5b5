import { from, type ObservableInput, type OperatorFunction } from 'rxjs';
import { withDemand } from './demand/demandScope.ts';
import { defineOperator } from './kit/defineOperator.ts';
import { Queue } from './kit/Queue.ts';
import { flag, signal, text, whole } from './options/kinds.ts';
import { declareOptions } from './options/OptionSet.ts';

export interface MergeBoundedOptions {
  /** How many queries, rows or values are worked on at once. @default 8 */
  readonly concurrency?: number | undefined;
  /** Pause everything upstream when this many values wait, until half of them are left. @default 100 */
  readonly mark?: number | undefined;
  /** Opens streams even while something nearer to the sink is full, for work that can't wait. @default false */
  readonly eager?: boolean | undefined;
  /** Ends everything with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
  /** The name shown by `client.explain()`. @default the operator's own */
  readonly name?: string | undefined;
}

export const mergeBoundedOptions = declareOptions<MergeBoundedOptions>()({
  concurrency: whole({ from: 1 }).or(8),
  mark: whole({ from: 1 }).or(100),
  eager: flag().or(false),
  signal: signal(),
  name: text(),
});

/**
 * `mergeMap` with a bounded backlog: each value opens a stream, and the streams are merged. Walks and fan-outs are
 * built on it.
 *
 * - Order: streams open in the order of the values. Their output is merged as it arrives.
 * - Concurrency: at most `concurrency` streams at once, and no new one while something nearer to the sink is full. The
 *   other values wait. When `mark` of them wait, everything upstream that follows demand pauses. Time is linear in
 *   their number. A stream is torn down before the next one opens.
 * - Cancellation: unsubscribing ends the source and every stream, and drops the waiting values.
 * - An error in a stream, or in `open`, ends everything.
 * - Cost: none of its own.
 *
 * @example
 * ids$.pipe(mergeBounded((id) => lookUp(id), { concurrency: 4 }))
 */
export function mergeBounded<In, Out>(
  open: (value: In) => ObservableInput<Out>,
  options: MergeBoundedOptions = {},
): OperatorFunction<In, Out> {
  const { concurrency, mark, eager, signal, name = 'mergeBounded' } = mergeBoundedOptions.read('mergeBounded', options);

  return defineOperator<In, Out>(
    (source, out) => {
      const backlog = new Queue<In>();
      const place = out.place(name, () => backlog.length);
      let active = 0;
      let exhausted = false;
      const ended = (): void => {
        active -= 1;
        place.moved();
        drain();
      };
      const drain = out.pump({
        eager,
        ready: () => backlog.length > 0 && active < concurrency,
        step() {
          active += 1;
          place.moved();
          const value = backlog.shift() as In;
          const stream = withDemand(place.consumer, () => from(open(value)));
          out.listen(stream, { next: out.next, complete: ended }, place.consumer, out.lazy);
        },
        after() {
          if (backlog.length <= mark / 2) place.release();
          if (exhausted && backlog.length === 0 && active === 0) out.complete();
        },
      });
      out.atEnd(() => backlog.clear());
      out.listen(
        source,
        {
          next(value) {
            backlog.push(value);
            drain();
            if (backlog.length >= mark) place.hold();
          },
          complete() {
            exhausted = true;
            drain();
          },
        },
        place,
      );
    },
    { signal },
  );
}
