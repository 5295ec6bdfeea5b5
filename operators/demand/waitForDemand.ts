import type { DemandNode } from './DemandNode.ts';

/**
 * When something between `node` and the sink holds, calls `resume` once that lets go (look again then: something else
 * may hold by now) and gives the function that takes this back. Undefined: nothing holds, go on.
 */
export function waitForDemand(node: DemandNode | undefined, resume: () => void): (() => void) | undefined {
  return node?.holder()?.onRelease(resume);
}
