import { Subscriber, type Observer } from 'rxjs';
import { arrive } from '../demand/demandScope.ts';
import type { Lazy } from '../LazyRow.ts';

/** Whether a subscriber is a listener that takes lazy rows. Any other operator in between reads rows, so it gets parsed ones. */
export function takesLazy(subscriber: object): Lazy {
  return subscriber instanceof Listener && subscriber.lazy;
}

/**
 * An observer that is also its own subscription. It exists before the first value, so a synchronous source can be
 * stopped in the middle. Its source is torn down before completion is passed on, so the next stream never overlaps this
 * one.
 */
export class Listener<T> extends Subscriber<T> {
  /** It takes lazy rows, or pages of them. */
  readonly lazy: Lazy;
  // Not a #private field: tools that instrument RxJS wrap subscribers in a Proxy, and reading such a field through a Proxy throws.
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
