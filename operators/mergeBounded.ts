import { type ObservableInput, type OperatorFunction, defer } from 'rxjs';
import { flag, signal, text, whole, declareOptions } from './options/index.ts';
import { defineOperator } from './kit/defineOperator.ts';
import { workThrough } from './kit/workThrough.ts';

export interface MergeBoundedOptions {
  /** How many queries, rows or values are worked on at once. @default 8 */
  readonly concurrency?: number | undefined;
  /** Pause everything upstream when this many values wait, until half of them are left. @default 100 */
  readonly backlog?: number | undefined;
  /** Opens streams even while something nearer to the sink is full, for work that can't wait. @default false */
  readonly eager?: boolean | undefined;
  /** Ends everything with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
  /** The name shown by `client.explain()`. @default 'mergeBounded', or the name of the operator */
  readonly name?: string | undefined;
}

export const mergeBoundedOptions = declareOptions<MergeBoundedOptions>()({
  concurrency: whole({ from: 1 }).or(8),
  backlog: whole({ from: 1 }).or(100),
  eager: flag().or(false),
  signal: signal(),
  name: text().or('mergeBounded'),
});

/**
 * `mergeMap` with a bounded backlog: each value opens a stream, and the streams are merged. Walks and fan-outs are
 * built on it.
 *
 * - Order: streams open in the order of the values. Their output is merged as it arrives.
 * - Concurrency: at most `concurrency` streams at once, and no new one while something nearer to the sink is full. The
 *   other values wait. When `backlog` of them wait, everything upstream that follows demand pauses. Time is linear in
 *   their number. A stream is torn down before the next one opens. A value that comes while one is being emitted waits
 *   until that is over, so the stack doesn't grow. `mergeMap` opens its stream at once, in the middle of the other one.
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
  return mergeStreams(open, mergeBoundedOptions.read('mergeBounded', options));
}

interface MergeSettings<In, Out> {
  readonly name: string;
  /** Streams open at once. */
  readonly concurrency: number;
  /** Everything upstream pauses when this many values wait, until half of them are left. */
  readonly backlog: number;
  readonly eager: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Returns what replaces the rest of a stream that failed, or throws. @default ends everything with the error */
  readonly rescue?: ((value: In, cause: unknown) => ObservableInput<Out>) | undefined;
}

/** Opens a stream for each value and merges the streams. */
export function mergeStreams<In, Out>(
  open: (value: In) => ObservableInput<Out>,
  settings: MergeSettings<In, Out>,
): OperatorFunction<In, Out> {
  const { name, concurrency, backlog, eager, signal, rescue } = settings;
  return defineOperator<In, Out>(
    (source, out) => {
      workThrough<In>(source, out, {
        name,
        concurrency,
        holdAt: backlog + concurrency,
        releaseAt: backlog / 2 + concurrency,
        eager,
        start(waiting, done, node) {
          const value = waiting.shift() as In;
          const ends = { next: out.next, complete: done };
          const error =
            rescue &&
            ((cause: unknown) =>
              void out.listen(
                defer(() => rescue(value, cause)),
                ends,
                node,
                out.lazy,
              ));
          out.listen(
            defer(() => open(value)),
            { ...ends, error },
            node,
            out.lazy,
          );
        },
      });
    },
    { signal },
  );
}
