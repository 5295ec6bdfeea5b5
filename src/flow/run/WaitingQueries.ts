import { Queue } from '../../../operators/kit/Queue.ts';
import type { Flow } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';

/** Queries that wait for a request. The deepest stage comes first. Within a stage: started queries, then order of arrival. */
export class WaitingQueries {
  readonly #depths: { readonly going: StageQuery[]; readonly fresh: Queue<StageQuery> }[] = [];
  readonly #flow: Flow;
  #size = 0;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  get size(): number {
    return this.#size;
  }

  add(queries: Iterable<StageQuery>): void {
    for (const query of queries) {
      const { depth } = this.#flow.byName.get(query.stage)!;
      while (this.#depths.length <= depth) this.#depths.push({ going: [], fresh: new Queue() });
      const level = this.#depths[depth]!;
      (query.walk.pages > 0 ? level.going : level.fresh).push(query);
      this.#size += 1;
    }
  }

  take(): StageQuery | undefined {
    for (const { going, fresh } of this.#depths.toReversed()) {
      const query = going.pop() ?? fresh.shift();
      if (query === undefined) continue;
      this.#size -= 1;
      return query;
    }
    return undefined;
  }
}
