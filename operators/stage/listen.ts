import { Subscriber, type Observable, type Observer } from 'rxjs';
import type { DemandNode } from '../demand/DemandNode.ts';
import { withDemand } from '../demand/demandScope.ts';

/**
 * Subscribes `observer` to `source` under `node`. `started` is called with the subscription before the first value can
 * come, so that a source which gives everything at once can be stopped in the middle.
 */
export function listen<T>(
  source: Observable<T>,
  node: DemandNode | undefined,
  observer: Observer<T>,
  started: (subscription: Subscriber<T>) => void,
): void {
  // A Subscriber of our own rather than subscribe(observer), whose subscription is known only afterwards.
  const subscriber = new Subscriber<T>(observer);
  started(subscriber);
  withDemand(node, () => source.subscribe(subscriber));
}
