import type { Flow } from '../definition/Flow.ts';
import type { FlowState } from '../state/FlowState.ts';
import type { Outcome, StageProgress } from './FlowProgress.ts';

/** How far each stage is. */
export function progressOf(flow: Flow, state: FlowState): readonly StageProgress[] {
  const unfinished = new Set<string>();
  return flow.stages.map((stage) => {
    const counts = state.counts.get(stage.name)!;
    const more = state.seeds.get(stage.name)?.ended === false;
    // Parents come before their children, and a child of an unfinished stage may get more to do.
    if (more || counts.waiting > 0 || stage.parents.some((parent) => unfinished.has(parent))) unfinished.add(stage.name);
    const outcome: Outcome = unfinished.has(stage.name)
      ? 'interrupted'
      : counts.failed > 0
        ? 'failed'
        : counts.capped > 0
          ? 'capped'
          : 'complete';
    return {
      name: stage.name,
      call: stage.operation.name,
      each: stage.seeds === undefined ? stage.parents : [stage.definition.each as string],
      to: stage.outputs,
      keep: Object.keys(stage.definition.keep ?? {}),
      done: counts.done,
      waiting: counts.waiting,
      failed: counts.failed,
      capped: counts.capped,
      pages: counts.pages,
      rows: counts.rows,
      more,
      outcome,
    };
  });
}

/** The worst of the stages. */
export function outcomeOf(stages: readonly StageProgress[]): Outcome {
  const order: readonly Outcome[] = ['interrupted', 'failed', 'capped', 'complete'];
  return order.find((outcome) => stages.some((stage) => stage.outcome === outcome)) ?? 'complete';
}
