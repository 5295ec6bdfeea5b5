import type { Flow } from '../definition/Flow.ts';
import type { ReplayedRun } from '../state/ReplayedRun.ts';
import { requestsAll } from '../update/requestsAll.ts';
import type { StageEstimate } from './FlowProgress.ts';

/** How many rows exist at least. A retry of failed queries, and what an update requests only in part, tell nothing. */
export function estimatesOf(flow: Flow, { state, update }: Pick<ReplayedRun, 'state' | 'update'>): readonly StageEstimate[] | undefined {
  const estimates = flow.stages.flatMap((stage) => {
    const estimate = state.sightings.get(stage.name)?.estimate;
    const isPart = state.isRetry || (update && !requestsAll(stage, flow));
    return estimate === undefined || isPart ? [] : [{ stage: stage.name, ...estimate }];
  });
  return estimates.length === 0 ? undefined : estimates;
}
