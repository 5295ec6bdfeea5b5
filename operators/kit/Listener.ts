import { Subscription, type Observer } from 'rxjs';
import type { DemandNode } from '../demand/DemandNode.ts';
import type { Lazy } from '../LazyRow.ts';
import type { Member, Members } from './Members.ts';

/** Where a listener's values go. */
export interface Way {
  /** The node whose backlog it fills, if any. */
  readonly place?: DemandNode | undefined;
  /** The subscriber that gets the operator's values. If missing, the path ends at `place`. */
  readonly destination?: object | undefined;
  /** The operator was subscribed while a value was being emitted. */
  readonly late?: boolean | undefined;
  /** It takes lazy rows, or pages of them: nothing else sees the values that it gets. */
  readonly lazy?: Lazy | undefined;
  /** The active listeners. It removes itself when it stops. */
  readonly listening?: Members<Member> | undefined;
}

/** Whether values go straight to a listener that takes lazy rows, with no other operator between. */
export function takesLazy(subscriber: object): Lazy {
  return subscriber instanceof Listener && (subscriber.way.lazy ?? false);
}

/**
 * An observer that is also its own subscription. It exists before the first value, so a synchronous source can be
 * stopped in the middle. Its source is torn down before completion is passed on, so the next stream never overlaps this
 * one.
 */
export class Listener<T> extends Subscription implements Observer<T>, Member {
  place = -1;
  readonly way: Way;
  readonly #observer: Observer<T>;

  /** An exception from the observer becomes its error. */
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

/**
 * Whether the values of `subscriber` fill the backlog of `holder`. They don't if they go into a promise or a cache;
 * then the holder may be waiting for them. `late`: the subscription was made while a value was being emitted.
 *
 * It follows the link that RxJS operators keep to the next one downstream. Where the link is missing, a hand-written
 * operator looks the same as a promise. It is treated as an operator unless it was subscribed late.
 */
export function leadsTo(subscriber: object, late: boolean, holder: DemandNode): boolean {
  let isLate = late;
  let at: unknown = subscriber;
  while (typeof at === 'object' && at !== null) {
    if (at instanceof Listener) {
      const { place, destination, late } = at.way;
      if (place !== undefined && (place === holder || (destination === undefined && place.holder() === holder))) return true;
      isLate = late === true;
      at = destination;
    } else at = (at as { readonly destination?: unknown }).destination;
  }
  return !isLate;
}
