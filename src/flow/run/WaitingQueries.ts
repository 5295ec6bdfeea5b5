import { Queue } from '../../../operators/kit/Queue.ts';
import type { Flow } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';

/**
 * Queries that wait for a request. The deepest stage comes first, unless fewer than `enough` of its queries wait: then
 * the stage above does, so that they don't run out. Within a stage: started queries, then order of arrival.
 */
export class WaitingQueries {
  /** The depth of the deepest stage. */
  readonly deepest: number;
  readonly #depths: { readonly going: StageQuery[]; readonly fresh: Queue<StageQuery> }[];
  readonly #flow: Flow;
  readonly #enough: number;
  #size = 0;

  constructor(flow: Flow, enough: number) {
    this.#flow = flow;
    this.#enough = enough;
    this.deepest = Math.max(...flow.stages.map(({ depth }) => depth));
    this.#depths = Array.from({ length: this.deepest + 1 }, () => ({ going: [], fresh: new Queue() }));
  }

  get size(): number {
    return this.#size;
  }

  add(queries: Iterable<StageQuery>): void {
    for (const query of queries) {
      const { depth } = this.#flow.byName.get(query.stage)!;
      const level = this.#depths[depth]!;
      (query.walk.pages > 0 ? level.going : level.fresh).push(query);
      this.#size += 1;
    }
  }

  /** How many wait at a depth. Undefined if no stage is that deep. */
  sizeAt(depth: number): number | undefined {
    const level = this.#depths[depth];
    return level && level.going.length + level.fresh.length;
  }

  take(): StageQuery | undefined {
    if (this.#size === 0) return undefined;
    this.#size -= 1;
    let chosen: number | undefined;
    for (let depth = 0; depth <= this.deepest; depth++) {
      if (this.sizeAt(depth) === 0) continue;
      chosen = depth;
      if ((this.sizeAt(depth + 1) ?? Infinity) < this.#enough) break;
    }
    const { going, fresh } = this.#depths[chosen!]!;
    return going.pop() ?? fresh.shift();
  }
}
