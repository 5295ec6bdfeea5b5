import { Observable, type MonoTypeOperatorFunction, type Subscriber } from 'rxjs';
import { currentDemand } from '../demand/demandScope.ts';
import { emitter } from '../stage/emitter.ts';
import { listen } from '../stage/listen.ts';
import type { Limit } from './Limit.ts';

/** Subscribes when the limit lets it, and leaves when the stream is over. */
export function underLimit<T>(limit: Limit): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable((destination) => {
      const node = currentDemand();
      const out = emitter(destination, node);
      let upstream: Subscriber<T> | undefined;
      let leave: (() => void) | undefined;
      let over = false;
      const end = (): void => {
        over = true;
        upstream?.unsubscribe();
        leave?.();
        leave = undefined;
      };
      destination.add(end);
      const observer = {
        next: out.next,
        // Room is made before the end is told, so that whoever starts another stream then finds it.
        error: (error: unknown): void => (end(), out.error(error)),
        complete: (): void => (end(), out.complete()),
      };
      const left = limit.enter(() => listen(source, node, observer, (subscriber) => (upstream = subscriber)));
      if (over) left();
      else leave = left;
    });
}
