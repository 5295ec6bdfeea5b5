import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { digestOf, queryKey } from '../query/StageQuery.ts';
import type { TileState } from '../split/StageSplit.ts';
import { DigestSet } from './DigestSet.ts';

/** What a run has seen: the queries it found, the keys of its rows, and the rows of queries that are repeated. */
export class AlreadySeen {
  readonly #queries = new DigestSet();
  readonly #keys = new Map<string, DigestSet>();
  readonly #ids = new Map<number, Set<number>>();

  /** Whether a query is new. From now on it isn't. The same query over two areas is two. */
  isNewQuery(stage: FlowStage, params: QueryParams, tile?: TileState | null): boolean {
    return this.#queries.add(digestOf(queryKey(stage, params) + (tile?.area ?? '')));
  }

  /** Whether this key is new to the stage. From now on it isn't. */
  isNewKey(stage: string, key: bigint): boolean {
    let keys = this.#keys.get(stage);
    if (keys === undefined) this.#keys.set(stage, (keys = new DigestSet()));
    return keys.add(key);
  }

  /** Whether a row is new to a repeated query. From now on it isn't. */
  isNewId(query: number, id: number): boolean {
    let ids = this.#ids.get(query);
    if (ids === undefined) this.#ids.set(query, (ids = new Set()));
    return ids.size < ids.add(id).size;
  }

  /** The rows of a repeated query. */
  idCount(query: number): number {
    return this.#ids.get(query)?.size ?? 0;
  }

  forgetIds(query: number): void {
    this.#ids.delete(query);
  }
}
