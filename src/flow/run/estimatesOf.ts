import type { RunStorage } from '../state/RunStorage.ts';
import { requestsAll } from '../update/requestsAll.ts';
import type { StageEstimate } from './FlowProgress.ts';

/** How many rows exist at least. A retry of failed queries, and what an update requests only in part, tell nothing. */
export function estimatesOf(run: RunStorage): readonly StageEstimate[] | undefined {
  const estimates = run.flow.stages.flatMap((stage) => {
    const estimate = run.state.sightings.get(stage.name)?.estimate;
    return estimate === undefined || !requestsAll(run, stage) ? [] : [{ stage: stage.name, ...estimate }];
  });
  return estimates.length === 0 ? undefined : estimates;
}
