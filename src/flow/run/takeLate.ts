import type { Flow } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { inJournal } from './addedQueries.ts';

/** Records that a query comes after all others. Areas that waited for it begin without it. */
export function takeLate(flow: Flow, store: FlowStore, query: StageQuery): readonly StageQuery[] {
  const found = store.state.covers.pass(flow.byName.get(query.stage)!, query);
  return store.take({ kind: 'late', query: query.number, found: found.length === 0 ? undefined : inJournal(flow, found) });
}
