import { defer, type ObservableInput, type OperatorFunction } from 'rxjs';
import { defineOperator } from './defineOperator.ts';
import { workThrough } from './workThrough.ts';

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
