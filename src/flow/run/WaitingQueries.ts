import { nextLevel, type WaitingLevel } from '../../../operators/demand/nextLevel.ts';
import { Queue } from '../../../operators/kit/Queue.ts';
import type { Flow } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';

/** The queries of all stages of one depth. */
class StageLevel implements WaitingLevel {
  readonly going: StageQuery[] = [];
  readonly fresh = new Queue<StageQuery>();
  readonly depth: number;
  readonly #below: StageLevel | undefined;

  constructor(depth: number, below: StageLevel | undefined) {
    this.depth = depth;
    this.#below = below;
  }

  get size(): number {
    return this.going.length + this.fresh.length;
  }

  get backlog(): number {
    return this.#below?.size ?? Infinity;
  }
}

/** Queries that wait for a request, in the order of `nextLevel`. Within a stage: started queries, then order of arrival. */
export class WaitingQueries {
  /** The depth of the deepest stage, which is the nearest to the files. */
  readonly deepest: number;
  /** Nearest first. */
  readonly #levels: StageLevel[] = [];
  readonly #flow: Flow;
  readonly #enough: number;
  #size = 0;

  constructor(flow: Flow, enough: number) {
    this.#flow = flow;
    this.#enough = enough;
    this.deepest = flow.stages.reduce((deepest, { depth }) => Math.max(deepest, depth), 0);
    for (let depth = 0; depth <= this.deepest; depth++) this.#levels.push(new StageLevel(depth, this.#levels.at(-1)));
  }

  get size(): number {
    return this.#size;
  }

  add(queries: Iterable<StageQuery>): void {
    for (const query of queries) {
      const level = this.#levels[this.deepest - this.#flow.byName.get(query.stage)!.depth]!;
      (query.walk.pages > 0 ? level.going : level.fresh).push(query);
      this.#size += 1;
    }
  }

  /** How many wait in the stages of a depth. Undefined if no stage is that deep. */
  sizeAt(depth: number): number | undefined {
    return this.#levels[this.deepest - depth]?.size;
  }

  take(): StageQuery | undefined {
    const level = nextLevel(this.#levels, this.#enough);
    if (level === undefined) return undefined;
    this.#size -= 1;
    return level.going.pop() ?? level.fresh.shift();
  }
}
