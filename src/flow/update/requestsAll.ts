import type { FlowView } from '../core/FlowState.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { EarlierRun } from './EarlierRun.ts';

interface Run {
  readonly flow: Flow;
  readonly state: FlowView;
  readonly earlier: EarlierRun | undefined;
  readonly history: { readonly update: boolean };
}

/** Whether a run requests all rows of a stage: neither it nor a stage above it requests only what is new, or what the clock says. */
export function requestsAll(run: Run, stage: FlowStage): boolean {
  const { since, shifts, parents } = stage;
  const { flow, state, earlier, history } = run;
  const isFull = !history.update || since === undefined || earlier?.isFull(stage) === true;
  return isFull && !state.isRetry && !shifts && parents.every((parent) => requestsAll(run, flow.byName.get(parent)!));
}

/** Whether a run requested all rows of a stage and got them, so that a row that it didn't find is gone. */
export function requestedAll(run: Run, stage: FlowStage): boolean {
  return requestsAll(run, stage) && isComplete(run, stage);
}

function isComplete(run: Run, { name, parents }: FlowStage): boolean {
  const { failed, capped, found, short, waiting, skipped, thinPages } = run.state.queries.counts.get(name)!;
  if (failed + capped + found + short + waiting + skipped + thinPages > 0) return false;
  return parents.every((parent) => isComplete(run, run.flow.byName.get(parent)!));
}
