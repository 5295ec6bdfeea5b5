import { Observable, type MonoTypeOperatorFunction } from 'rxjs';
import { DemandNode } from './demand/DemandNode.ts';
import { Outlet } from './kit/Outlet.ts';
import { withDemand } from './demand/demandScope.ts';
import { Listener } from './kit/Listener.ts';

/** A node with several paths to sinks. It is held while any of them is held. */
class Fork extends DemandNode {
  readonly ways = new Set<DemandNode>();

  override holder(): DemandNode | undefined {
    for (const way of this.ways) {
      const holder = way.holder();
      if (holder !== undefined) return holder;
    }
    return undefined;
  }
}

/**
 * Shares one subscription, like RxJS's `share`, and pauses while the slowest subscriber is full. With `share` the
 * source follows only the first subscriber, so values pile up in front of a slower one.
 *
 * - Order: kept. A late subscriber gets only later values.
 * - Concurrency: none.
 * - Cancellation: the source ends when the last subscriber leaves. The next one subscribes to the source again, also
 *   after it completed.
 * - Cost: the cost of one subscription.
 *
 * @example
 * const places$ = queries$.pipe(offsetPages(client.mapsSearch), items(), shareHeld());
 */
export function shareHeld<T>(): MonoTypeOperatorFunction<T> {
  return (source) => {
    let fork: Fork | undefined;
    let listener: Listener<T> | undefined;
    const outlets = new Set<Outlet<T>>();
    const leave = (): Outlet<T>[] => {
      const left = [...outlets];
      outlets.clear();
      fork = undefined;
      return left;
    };
    return new Observable((destination) => {
      const out = new Outlet<T>(destination);
      const own = out.holder('shareHeld');
      outlets.add(out);
      const first = fork === undefined;
      const node = (fork ??= new Fork(undefined, own.depth, 'shareHeld'));
      node.ways.add(own);
      out.atEnd(() => {
        node.ways.delete(own);
        if (outlets.delete(out) && outlets.size === 0) {
          fork = undefined;
          listener?.unsubscribe();
        }
      });
      if (!first) return;
      const observer = {
        next: (value: T): void => [...outlets].forEach((outlet) => outlet.next(value)),
        error: (error: unknown): void => leave().forEach((outlet) => outlet.error(error)),
        complete: (): void => leave().forEach((outlet) => outlet.complete()),
      };
      const started = (listener = new Listener<T>(observer));
      withDemand(node, () => source.subscribe(started));
    });
  };
}
