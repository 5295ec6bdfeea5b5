import type { Observable, Observer, Subscription } from 'rxjs';
import { DemandNode } from './DemandNode.ts';

/** The node that new subscriptions get as their parent. */
let current: DemandNode | undefined;
/** An operator is emitting a value now, rather than subscribing upstream. */
let emitting = false;
/** The node of what is subscribed while that value is emitted. undefined: nothing was subscribed. */
let value: ValueNode | undefined;

/** The node that new subscriptions get as their parent. Undefined outside of any. */
export function currentDemand(): DemandNode | undefined {
  if (!emitting || current === undefined) return current;
  return (value ??= ValueNode.under(current));
}

/** The value that is being emitted has reached the next operator that follows demand. */
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
  return withDemand(node, () => source.subscribe(listener));
}

/**
 * The node of a value on its way from one operator to the next. A plain operator in between may subscribe to a page, and that page gets
 * this node as its parent. In `mergeMap(search)` the page replaces the value. In `map((row) => firstValueFrom(search(row)))` the value
 * goes on and contains a promise of the page.
 *
 * In the second case, whoever takes the value may wait for the page. So nothing on the path to the sink may hold it back.
 */
class ValueNode extends DemandNode {
  static #count = 0;
  readonly #number = ValueNode.#count++;
  #free = false;

  /** The node for a value that is emitted under `node`. If that is itself the node of a value, its parent is used: chains don't grow. */
  static under(node: DemandNode): ValueNode {
    let parent = node;
    while (parent instanceof ValueNode) {
      if (parent.#free) return parent;
      parent = parent.parent!;
    }
    return new ValueNode(parent, parent.depth);
  }

  override get value(): number {
    return this.#number;
  }

  /** The value went on to the next operator: from now on, nothing holds back what is under this node. */
  goesOn(): void {
    this.#free = true;
  }

  override holder(): DemandNode | undefined {
    return this.#free ? undefined : super.holder();
  }
}
