import { Subscription, type Observer } from 'rxjs';
import type { DemandNode } from '../demand/DemandNode.ts';

/** Where what a listener hears goes. */
export interface Way {
  /** The place whose backlog it fills, if it does. */
  readonly place?: DemandNode | undefined;
  /** Who gets what the operator passes on; none: the way ends at `place`. */
  readonly destination?: object | undefined;
  /** The operator was subscribed while a value was passed on. */
  readonly late?: boolean | undefined;
  /** Those that listen; it leaves them when it listens no more. */
  readonly listening?: Set<Subscription> | undefined;
}

/**
 * An observer that is its own subscription: known before the first value comes, so that a source which gives everything
 * at once can be stopped in the middle. What it listens to is torn down before its end is told, so that whoever starts
 * the next stream then is never in two at once.
 */
export class Listener<T> extends Subscription implements Observer<T> {
  readonly way: Way;
  readonly #observer: Observer<T>;

  /** What the observer throws is its error. */
  constructor(observer: Observer<T>, way: Way) {
    super();
    this.way = way;
    this.#observer = observer;
  }

  next(value: T): void {
    if (this.closed) return;
    try {
      this.#observer.next(value);
    } catch (error) {
      this.error(error);
    }
  }

  error(error: unknown): void {
    if (this.closed) return;
    try {
      this.unsubscribe();
    } finally {
      this.#observer.error(error);
    }
  }

  complete(): void {
    if (this.closed) return;
    try {
      this.unsubscribe();
    } finally {
      try {
        this.#observer.complete();
      } catch (error) {
        this.#observer.error(error);
      }
    }
  }

  override unsubscribe(): void {
    if (this.closed) return;
    this.way.listening?.delete(this);
    super.unsubscribe();
  }
}
