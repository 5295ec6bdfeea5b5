import type { DemandNode, Waiting } from './DemandNode.ts';

/**
 * When something between `node` and the sink holds, waits until that lets go and returns a cancel function. Undefined:
 * nothing holds, go on.
 */
export function waitForDemand(node: DemandNode | undefined, waiting: Waiting): (() => void) | undefined {
  return node?.holder()?.wait(waiting);
}
