import type { MonoTypeOperatorFunction } from 'rxjs';
import { defineOperator } from '../kit/defineOperator.ts';
import type { Limit } from './Limit.ts';

/** Subscribes when the limit lets it, and leaves when the stream is over. */
export function underLimit<T>(limit: Limit): MonoTypeOperatorFunction<T> {
  return defineOperator<T, T>((source, out) => {
    let leave: (() => void) | undefined;
    let over = false;
    const end = (): void => {
      over = true;
      leave?.();
      leave = undefined;
    };
    out.atEnd(end);
    const left = limit.enter(() =>
      out.listen(source, {
        next: out.next,
        // Room is made before the end is told, so that whoever starts another stream then finds it.
        error: (error) => (end(), out.error(error)),
        complete: () => (end(), out.complete()),
      }),
    );
    if (over) left();
    else leave = left;
  });
}
