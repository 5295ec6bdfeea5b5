import type { DemandNode } from './DemandNode.ts';

let current: DemandNode | undefined;

/** The node that whatever is subscribed right now is born under; undefined outside of any. */
export function currentDemand(): DemandNode | undefined {
  return current;
}

/**
 * Runs `work` with `node` as the place that new subscriptions are born under.
 *
 * Stages do this twice: around subscribing to what is above them, with a node of their own; and around each value they
 * pass on, with the node they were born under themselves, so that a plain operator further down, which subscribes to
 * something when the value arrives, does so at its own distance from the sink.
 */
export function withDemand<T>(node: DemandNode | undefined, work: () => T): T {
  const outer = current;
  current = node;
  try {
    return work();
  } finally {
    current = outer;
  }
}
