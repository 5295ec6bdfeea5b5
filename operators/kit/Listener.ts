import { Subscriber, type Observer } from 'rxjs';
import { arrive } from '../demand/demandScope.ts';
import type { Lazy } from '../LazyRow.ts';

/** Whether values go straight to a listener that takes lazy rows, with no other operator between. */
export function takesLazy(subscriber: object): Lazy {
  return subscriber instanceof Listener && subscriber.lazy;
}

/**
 * An observer that is also its own subscription. It exists before the first value, so a synchronous source can be
 * stopped in the middle. Its source is torn down before completion is passed on, so the next stream never overlaps this
 * one.
 */
export class Listener<T> extends Subscriber<T> {
  /** It takes lazy rows, or pages of them: nothing else sees the values that it gets. */
  readonly lazy: Lazy;
  // Not #private: whoever instruments RxJS wraps subscribers in a Proxy, and a Proxy has none of those.
  private readonly observer: Observer<T>;

  /** An exception from the observer becomes its error. */
  constructor(observer: Observer<T>, lazy: Lazy = false) {
    super();
    this.lazy = lazy;
    this.observer = observer;
  }

  override next(value: T): void {
    if (this.closed) return;
    arrive();
    try {
      this.observer.next(value);
    } catch (error) {
      this.error(error);
    }
  }

  override error(error: unknown): void {
    if (this.closed) return;
    try {
      this.unsubscribe();
    } finally {
      this.observer.error(error);
    }
  }

  override complete(): void {
    if (this.closed) return;
    try {
      this.unsubscribe();
    } finally {
      try {
        this.observer.complete();
      } catch (error) {
        this.observer.error(error);
      }
    }
  }
}
