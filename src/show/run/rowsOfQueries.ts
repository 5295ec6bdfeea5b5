import { queryDigest } from '../../flow/core/Dedup.ts';
import type { JournalRecord } from '../../flow/core/events.ts';
import type { FlowStage } from '../../flow/definition/Flow.ts';
import type { QueryParams } from '../../flow/definition/flowFormat.ts';
import type { JournalReader } from '../../flow/state/Journal.ts';
import type { RowRange } from '../data/TableView.ts';

/** Rows among all those that a run wrote of a stage. */
export interface TracedRows {
  readonly ranges: readonly RowRange[];
  /** How many rows the stage wrote. */
  readonly total: number;
}

class StageTrace implements TracedRows {
  readonly ranges: [number, number][] = [];
  total = 0;
  /** Queries that weren't found yet. */
  readonly #missing: Set<bigint>;
  /** The queries of the stage by their numbers, and whether they are wanted. */
  readonly #known = new Map<number, boolean>();
  readonly #stage: FlowStage;

  constructor(stage: FlowStage, queries: readonly QueryParams[]) {
    this.#stage = stage;
    this.#missing = new Set(queries.map((params) => queryDigest(stage, params)));
  }

  get isWhole(): boolean {
    return this.#missing.size === 0;
  }

  found(number: number, params: QueryParams): void {
    this.#known.set(number, this.#missing.delete(queryDigest(this.#stage, params)));
  }

  written(number: number, rows: number): void {
    const isWanted = this.#known.get(number);
    if (isWanted === undefined || rows === 0) return;
    const last = this.ranges.at(-1);
    if (isWanted && last?.[1] === this.total) last[1] += rows;
    else if (isWanted) this.ranges.push([this.total, this.total + rows]);
    this.total += rows;
  }
}

/**
 * Which rows of each stage came from these of its queries. A stage is left out if the journal doesn't tell, because a query isn't in it.
 * That of an update tells nothing: rows of the run before are among those in its files.
 */
export async function rowsOfQueries(
  journal: JournalReader,
  queries: ReadonlyMap<FlowStage, readonly QueryParams[]>,
): Promise<ReadonlyMap<string, TracedRows>> {
  const wanted = [...queries].filter(([, some]) => some.length > 0);
  const traces = new Map(wanted.map(([stage, some]) => [stage.index, new StageTrace(stage, some)]));
  let [count, isUpdate] = [0, false];
  const take = (record: JournalRecord): boolean => {
    if (record.type === 'flow') isUpdate = record.update === true;
    for (const event of record.type === 'commit' ? record.events : []) {
      if (event.type === 'QueriesFound')
        for (const [index, params] of event.found) {
          traces.get(index)?.found(count, params);
          count += 1;
        }
      else if (event.type === 'PageTaken') for (const trace of traces.values()) trace.written(event.query, event.written);
    }
    return !isUpdate;
  };
  if (traces.size > 0) await journal.read(take, () => undefined);
  if (isUpdate || journal.damagedLine !== undefined) return new Map();
  return new Map(wanted.flatMap(([{ name, index }]) => (traces.get(index)!.isWhole ? [[name, traces.get(index)!] as const] : [])));
}
