import { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { WaitingQueries } from './WaitingQueries.ts';

/** A node for each stage on the path to the files. The deepest stages are the nearest, so their requests go first. */
export function stageNodes(flow: Flow, root: DemandNode, queue: WaitingQueries): ReadonlyMap<string, DemandNode> {
  const nodeOf = ({ name, depth }: FlowStage): DemandNode =>
    new DemandNode(root, root.depth + 1 + queue.maxDepth - depth, `stage ${name}`, () => queue.sizeAt(depth + 1));
  return new Map(flow.stages.map((stage) => [stage.name, nodeOf(stage)]));
}
