import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { Step } from '../query/stepQuery.ts';
import { rowKey } from '../query/rowKey.ts';
import type { FoundQuery, StageQuery } from '../query/StageQuery.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { addedQueries, type AddedQueries } from './addedQueries.ts';

/** The ids of a page's new rows, if the query is walked again and its rows have ids: no more of them than the stage takes. */
export function newIdsOf(
  stage: FlowStage,
  { number, rewalk, counted }: StageQuery,
  { ids }: Step,
  store: FlowStore,
): ReadonlySet<number> | undefined {
  if (stage.identity === undefined || (rewalk === undefined && counted === undefined)) return undefined;
  const { seen } = store.state;
  return new Set(ids.filter((id) => seen.idCount(number) < stage.limit && seen.isNewId(number, id)));
}

/** The rows to write, their keys, and the new queries that they and the page lead to. `newIds`: the ids of new rows, if the query is walked again. */
export function newRowsOf(
  flow: Flow,
  store: FlowStore,
  stage: FlowStage,
  step: Step,
  newIds: ReadonlySet<number> | undefined,
): { readonly rows: object[]; readonly keys: bigint[]; readonly again: bigint[]; readonly beside: bigint[] } & AddedQueries {
  const rows: object[] = [];
  const keys: bigint[] = [];
  const again: bigint[] = [];
  const beside: bigint[] = [];
  const found: FoundQuery[] = [];
  for (const { row, key, counted, id, beside: isBeside, found: queries } of step.rows) {
    if (newIds !== undefined && id !== undefined && !newIds.has(id)) continue;
    if (counted !== undefined && isBeside) beside.push(counted);
    const isNew = key !== undefined && store.state.seen.isNewKey(stage.name, key);
    if (isNew) keys.push(key);
    else if (counted !== undefined) again.push(counted);
    if (key !== undefined && !isNew) continue;
    rows.push(stage.seen ? withSeen(store, stage, row) : row);
    if (queries.length > 0) found.push(...queries);
  }
  if (step.found.length > 0) found.push(...step.found);
  const { found: added, unchanged } = found.length === 0 ? {} : addedQueries(flow, store, found);
  return { rows, keys, again, beside, found: added, unchanged };
}

/** A row with the first and last time it was seen. */
function withSeen({ history, earlier }: FlowStore, stage: FlowStage, row: object): object {
  const now = new Date(history.startedAt).toISOString();
  return { ...row, first_seen: earlier?.firstSeen(stage, rowKey(stage, stage.key, row)) ?? now, last_seen: now };
}
