import type { Flow } from '../definition/Flow.ts';
import { queriesAfter } from '../query/stepQuery.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import { failedTile } from '../split/StageCovers.ts';
import { failureOf } from '../state/failureOf.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { addedQueries, inJournal } from './addedQueries.ts';
import { orAbsent } from './orAbsent.ts';

/** Records a query as failed. */
export function takeFailure(flow: Flow, store: FlowStore, query: StageQuery, error: unknown): readonly StageQuery[] {
  const failure = { kind: 'failure', query: query.number, failure: failureOf(error) } as const;
  const stage = flow.byName.get(query.stage)!;
  if (stage.split?.kind !== 'area') {
    const after = addedQueries(flow, store, queriesAfter(stage, query, undefined));
    return store.take({ ...failure, found: after.found });
  }
  const { found, more } = store.state.covers.take(stage, query, failedTile);
  return store.take({ ...failure, found: inJournal(flow, found), left: orAbsent(more) });
}
