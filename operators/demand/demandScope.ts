import type { Observable, Observer, Subscription } from 'rxjs';
import type { DemandNode } from './DemandNode.ts';
import { ValueNode } from './ValueNode.ts';

/** The node that new subscriptions get as their parent. */
let current: DemandNode | undefined;
/** An operator is emitting a value now, rather than subscribing upstream. */
let emitting = false;
/** What is subscribed while that value is emitted hangs under this node. Undefined: nothing has been. */
let value: ValueNode | undefined;

/** The node that new subscriptions get as their parent. Undefined outside of any. */
export function currentDemand(): DemandNode | undefined {
  if (!emitting || current === undefined) return current;
  return (value ??= ValueNode.under(current));
}

/** The value that is being emitted has reached the next operator that follows demand, with all that hangs under it. */
export function arrive(): void {
  if (value === undefined) return;
  value.goesOn();
  value = undefined;
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
  const outerValue = value;
  current = node;
  emitting = passing;
  value = undefined;
  try {
    return work();
  } finally {
    current = outer;
    emitting = outerEmitting;
    value = outerValue;
  }
}

/** The same for emitting one value. That happens too often to create a function for each. */
export function passUnder<T>(node: DemandNode | undefined, destination: { next(value: T): void }, passed: T): void {
  if (emitting && current === node && value === undefined) {
    destination.next(passed);
    value = undefined;
    return;
  }
  const outer = current;
  const outerEmitting = emitting;
  const outerValue = value;
  current = node;
  emitting = true;
  value = undefined;
  try {
    destination.next(passed);
  } finally {
    current = outer;
    emitting = outerEmitting;
    value = outerValue;
  }
}

/** The same for subscribing to a source. */
export function subscribeUnder<T>(node: DemandNode | undefined, source: Observable<T>, listener: Observer<T>): Subscription {
  const outer = current;
  const outerEmitting = emitting;
  const outerValue = value;
  current = node;
  emitting = false;
  value = undefined;
  try {
    return source.subscribe(listener);
  } finally {
    current = outer;
    emitting = outerEmitting;
    value = outerValue;
  }
}
