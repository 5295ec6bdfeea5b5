import { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { Flow } from '../definition/Flow.ts';

/** A place for each stage on the way to the files: the deepest stages are the nearest, so their requests go first. */
export function stageNodes(flow: Flow, root: DemandNode): ReadonlyMap<string, DemandNode> {
  const deepest = Math.max(...flow.stages.map(({ depth }) => depth));
  return new Map(flow.stages.map(({ name, depth }) => [name, new DemandNode(root, root.depth + 1 + deepest - depth)]));
}
