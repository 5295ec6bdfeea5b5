import type { Observable, Observer, Subscription } from 'rxjs';
import type { DemandNode } from './DemandNode.ts';

let current: DemandNode | undefined;
let emitting = false;

/** The node that new subscriptions get as their parent. Undefined outside of any. */
export function currentDemand(): DemandNode | undefined {
  return current;
}

/** Whether an operator is emitting a value now, rather than subscribing upstream. */
export function isEmitting(): boolean {
  return emitting;
}

/**
 * Runs `work` with `node` as the parent of new subscriptions.
 *
 * Operators do this twice. Around subscribing upstream they use their own node. Around each signal they emit
 * (`passing`) they use their parent node. So a plain operator downstream that subscribes when a value arrives does so
 * at its own distance from the sink.
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

/** The same for emitting one value. That happens too often to create a function for each. */
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
