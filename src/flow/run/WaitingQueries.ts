import { nextLevel, type WaitingLevel } from '../../../operators/demand/nextLevel.ts';
import { Queue } from '../../../operators/kit/workThrough.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { OpenQuery } from '../core/Query.ts';
import { DemandNode } from '../../../operators/demand/DemandNode.ts';

/** The queries of all stages of one depth. */
class StageLevel implements WaitingLevel {
  readonly going: OpenQuery[] = [];
  readonly unstarted = new Queue<OpenQuery>();
  readonly depth: number;
  readonly #below: StageLevel | undefined;

  constructor(depth: number, below: StageLevel | undefined) {
    this.depth = depth;
    this.#below = below;
  }

  get size(): number {
    return this.going.length + this.unstarted.length;
  }

  get backlog(): number {
    return this.#below?.size ?? Infinity;
  }
}

/** Queries that wait for a request, in the order of `nextLevel`. Within a stage: started queries, then order of arrival. */
export class WaitingQueries {
  /** The depth of the deepest stage, which is the nearest to the files. */
  readonly maxDepth: number;
  /** Nearest first. */
  readonly #levels: StageLevel[] = [];
  readonly #flow: Flow;
  readonly #enough: number;
  size = 0;

  constructor(flow: Flow, enough: number) {
    this.#flow = flow;
    this.#enough = enough;
    this.maxDepth = flow.stages.reduce((maxDepth, { depth }) => Math.max(maxDepth, depth), 0);
    for (let depth = 0; depth <= this.maxDepth; depth++) this.#levels.push(new StageLevel(depth, this.#levels.at(-1)));
  }

  add(queries: Iterable<OpenQuery>): void {
    for (const query of queries) {
      const level = this.#levels[this.maxDepth - this.#flow.byName.get(query.stage)!.depth]!;
      (query.is !== 'waiting' && query.walk.pages > 0 ? level.going : level.unstarted).push(query);
      this.size += 1;
    }
  }

  /** What waits in the stages of a depth. Undefined if no stage is that deep. */
  levelAt(depth: number): WaitingLevel | undefined {
    return this.#levels[this.maxDepth - depth];
  }

  take(): OpenQuery | undefined {
    const level = nextLevel(this.#levels, this.#enough);
    if (level === undefined) return undefined;
    this.size -= 1;
    return level.going.pop() ?? level.unstarted.shift();
  }
}

/** A node for each stage on the path to the files. The deepest stages are the nearest, so their requests go first. */
export function stageNodes(flow: Flow, root: DemandNode, queue: WaitingQueries): ReadonlyMap<string, DemandNode> {
  const nodeOf = ({ name, depth }: FlowStage): DemandNode => {
    const deeper = queue.levelAt(depth + 1);
    return new DemandNode(root, root.depth + 1 + queue.maxDepth - depth, `stage ${name}`, () => deeper?.size);
  };
  return new Map(flow.stages.map((stage) => [stage.name, nodeOf(stage)]));
}
