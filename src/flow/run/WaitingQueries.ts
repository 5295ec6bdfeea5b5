import type { Flow } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';

/** Queries that wait for a request. The deepest stage comes first. Within a stage: started queries, then order of arrival. */
export class WaitingQueries {
  readonly #depths: { going: StageQuery[]; fresh: StageQuery[]; at: number }[] = [];
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
      while (this.#depths.length <= depth) this.#depths.push({ going: [], fresh: [], at: 0 });
      const level = this.#depths[depth]!;
      (query.walk.pages > 0 ? level.going : level.fresh).push(query);
      this.#size += 1;
    }
  }

  take(): StageQuery | undefined {
    for (let depth = this.#depths.length - 1; depth >= 0; depth--) {
      const level = this.#depths[depth]!;
      const going = level.going.pop();
      if (going !== undefined) {
        this.#size -= 1;
        return going;
      }
      if (level.at === level.fresh.length) continue;
      const query = level.fresh[level.at]!;
      level.at += 1;
      this.#size -= 1;
      if (level.at > 1024 && level.at * 2 > level.fresh.length) {
        // Shifting an array one by one takes quadratic time.
        level.fresh = level.fresh.slice(level.at);
        level.at = 0;
      }
      return query;
    }
    return undefined;
  }
}
