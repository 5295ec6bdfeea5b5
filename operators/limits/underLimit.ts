import type { MonoTypeOperatorFunction } from 'rxjs';
import { defineOperator } from '../kit/defineOperator.ts';

/** Decides when a stream may start. First come, first served. */
export interface Limit {
  /** Calls `start` when there is room, at once if there is room now. Returns a function to call once, when the stream ends or is cancelled. */
  enter(start: () => void): () => void;
}

/** Subscribes when the limit allows it, and frees its slot when the stream ends. */
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
        // Free the slot before completing, so that a stream started on completion finds it free.
        error: (error) => (end(), out.error(error)),
        complete: () => (end(), out.complete()),
      }),
    );
    if (over) left();
    else leave = left;
  });
}
