import { asapScheduler, type MonoTypeOperatorFunction } from 'rxjs';
import { defineOperator } from '../kit/defineOperator.ts';

interface AsyncHooks {
  readonly AsyncResource: new (type: string) => { runInAsyncScope(work: () => void): void };
}

/** undefined outside of Node. */
const hooks = (globalThis as { process?: { getBuiltinModule?(name: string): AsyncHooks } }).process?.getBuiltinModule?.('node:async_hooks');

/** Makes `work` run later in the present async context, so that `AsyncLocalStorage` keeps its value, such as the span of a trace. */
function inContext(work: () => void): () => void {
  if (hooks === undefined) return work;
  const resource = new hooks.AsyncResource('trawler'); // its `bind` takes fifty times as long
  return () => resource.runInAsyncScope(work);
}

/** Decides when a stream may start. First come, first served. */
export interface Limit {
  /**
   * Calls `start` when there is room, at once if there is room now. `leave`, which it also returns, frees the slot: call it
   * when the stream ends or is cancelled. Later calls do nothing.
   */
  enter(start: (leave: () => void) => void): () => void;
}

/** The slots of a limit. */
interface Room {
  /** Takes a slot. False: there is none. */
  readonly take: () => boolean;
  /** Frees the slot of a stream. */
  readonly free?: (() => void) | undefined;
  /** Nobody waits any more. */
  readonly idle?: (() => void) | undefined;
}

/**
 * A limit with one queue. When a stream leaves, the next one starts a little later, because whoever ended this stream may be about to
 * end the waiting ones too. A stream starts in the async context where it was subscribed to.
 */
export function limitOf({ take, free, idle }: Room): { readonly limit: Limit; readonly admit: () => void } {
  const line = new Set<() => void>();
  let admitsSoon = false;

  const admit = (): void => {
    for (const first of line) {
      if (!take()) return;
      line.delete(first);
      first();
    }
  };
  const admitSoon = (): void => {
    if (admitsSoon || line.size === 0) return;
    admitsSoon = true;
    asapScheduler.schedule(() => {
      admitsSoon = false;
      admit();
    });
  };
  const enter: Limit['enter'] = (start) => {
    let state: 'waits' | 'runs' | 'left' = 'waits';
    const leave = (): void => {
      const was = state;
      state = 'left';
      if (was === 'waits' && line.delete(run) && line.size === 0) idle?.();
      if (was !== 'runs' || free === undefined) return;
      free();
      admitSoon();
    };
    const begin = (): void => {
      state = 'runs';
      start(leave);
    };
    let run = begin;
    if (line.size === 0 && take()) begin();
    else {
      run = inContext(begin);
      line.add(run);
      if (!admitsSoon) admit();
    }
    return leave;
  };
  return { limit: { enter }, admit };
}

/** Subscribes when the limit allows it, and frees the slot when the stream ends. */
export function underLimit<T>(limit: Limit): MonoTypeOperatorFunction<T> {
  return defineOperator<T, T>((source, out) => {
    const leave = limit.enter((leave) => {
      out.atEnd(leave);
      // Free the slot before passing the end on: another stream may start then.
      out.listen(source, {
        next: out.next,
        error: (error) => (leave(), out.error(error)),
        complete: () => (leave(), out.complete()),
      });
    });
    out.atEnd(leave); // it may be waiting
  });
}
