import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import type { TileState } from '../split/StageSplit.ts';
import { DigestSet } from './DigestSet.ts';
import { idsOf } from './events.ts';
import { digestOf, queryKey } from './Query.ts';

const noIds: ReadonlySet<number> = new Set();

/** The ids that were read from these pages. Few queries are asked for them. */
const idsRead = new WeakMap<readonly string[], { pages: number; readonly ids: Set<number> }>();

/** What a run has seen: the queries it found, the keys of its rows, and the ids of the rows of queries that may start over. */
export class Dedup {
  private readonly queries = new DigestSet();
  private readonly keys = new Map<string, DigestSet>();
  /** By query, page by page, as in the journal. */
  private readonly ids = new Map<number, string[]>();

  /** `query`: its `queryDigest`. */
  hasQuery(query: bigint): boolean {
    return this.queries.has(query);
  }

  hasKey(stage: string, key: bigint): boolean {
    return this.keys.get(stage)?.has(key) === true;
  }

  /** The rows that an open query has had. */
  idsOf(query: number): ReadonlySet<number> {
    const pages = this.ids.get(query);
    if (pages === undefined) return noIds;
    let read = idsRead.get(pages);
    if (read === undefined) idsRead.set(pages, (read = { pages: 0, ids: new Set() }));
    while (read.pages < pages.length) for (const id of idsOf(pages[read.pages++]!)) read.ids.add(id);
    return read.ids;
  }

  addQuery(stage: FlowStage, params: QueryParams, tile?: TileState | null): void {
    this.queries.add(queryDigest(stage, params, tile));
  }

  addKey(stage: string, key: bigint): void {
    let keys = this.keys.get(stage);
    if (keys === undefined) this.keys.set(stage, (keys = new DigestSet()));
    keys.add(key);
  }

  addIds(query: number, ids: string): void {
    const known = this.ids.get(query);
    if (known === undefined) this.ids.set(query, [ids]);
    else known.push(ids);
  }

  forgetIds(query: number): void {
    this.ids.delete(query);
  }
}

/** Identifies a query among those of a run. The same query over two areas is two. */
export function queryDigest(stage: FlowStage, params: QueryParams, tile?: TileState | null): bigint {
  return digestOf(queryKey(stage, params) + (tile?.area ?? ''));
}
