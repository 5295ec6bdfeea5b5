import type { Observable, Observer, Subscription } from 'rxjs';
import type { DemandNode } from './DemandNode.ts';

let current: DemandNode | undefined;
let emitting = false;

/** The node that whatever is subscribed right now is born under; undefined outside of any. */
export function currentDemand(): DemandNode | undefined {
  return current;
}

/** Whether an operator is passing a value on right now, rather than subscribing to what is above it. */
export function isEmitting(): boolean {
  return emitting;
}

/**
 * Runs `work` with `node` as the place that new subscriptions are born under.
 *
 * Operators do this twice: around subscribing to what is above them, with a node of their own; and around each signal they
 * pass on (`passing`), with the node they were born under themselves, so that a plain operator further down, which
 * subscribes to something when the value arrives, does so at its own distance from the sink.
 */
export function withDemand<T>(node: DemandNode | undefined, work: () => T, passing: boolean = false): T {
  const outer = current;
  const outerEmitting = emitting;
  current = node;
  emitting = passing;
  try {
    return work();
  } finally {
    current = outer;
    emitting = outerEmitting;
  }
}

/** The same for passing one value on, which happens too often to make a function for each. */
export function passUnder<T>(node: DemandNode | undefined, destination: { next(value: T): void }, value: T): void {
  const outer = current;
  const outerEmitting = emitting;
  current = node;
  emitting = true;
  try {
    destination.next(value);
  } finally {
    current = outer;
    emitting = outerEmitting;
  }
}

/** The same for subscribing to a source. */
export function subscribeUnder<T>(node: DemandNode | undefined, source: Observable<T>, listener: Observer<T>): Subscription {
  const outer = current;
  const outerEmitting = emitting;
  current = node;
  emitting = false;
  try {
    return source.subscribe(listener);
  } finally {
    current = outer;
    emitting = outerEmitting;
  }
}
