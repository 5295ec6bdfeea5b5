import type { Flow } from '../definition/Flow.ts';
import type { FlowHistory } from '../state/FlowHistory.ts';
import { doubtsOf } from './doubtsOf.ts';
import type { Outcome, StageProgress } from './FlowProgress.ts';

const worst = ['interrupted', 'failed', 'doubtful', 'short', 'capped'] as const;

/** The progress of each stage. */
export function progressOf(flow: Flow, { state, last, update }: Pick<FlowHistory, 'state' | 'last' | 'update'>): readonly StageProgress[] {
  const unfinished = new Set<string>();
  return flow.stages.map((stage) => {
    const counts = state.counts.get(stage.name)!;
    const more = state.seeds.get(stage.name)?.ended === false;
    // Parents come before their children, and a child of an unfinished stage may get more to do.
    if (more || counts.waiting > 0 || stage.parents.some((parent) => unfinished.has(parent))) unfinished.add(stage.name);
    const { done, waiting, failed, capped, short, nearly, got, claimed, pages, rows, skipped, outside, unchanged } = counts;
    const doubts = unfinished.has(stage.name) ? [] : doubtsOf(stage, update ? { ...counts, unexpected: 0 } : counts, last?.[stage.name]);
    const flags: { readonly [O in Exclude<Outcome, 'complete'>]: boolean } = {
      interrupted: unfinished.has(stage.name),
      failed: failed > 0,
      doubtful: doubts.length > 0,
      short: short > 0,
      capped: capped > 0,
    };
    return {
      name: stage.name,
      call: stage.operation.name,
      each: stage.seeds === undefined ? stage.parents : [stage.definition.each as string],
      to: stage.outputs,
      keep: Object.keys(stage.definition.keep ?? {}),
      done,
      waiting,
      failed,
      capped,
      ...(unchanged > 0 ? { unchanged } : {}),
      short,
      nearly,
      got,
      claimed,
      doubts,
      pages,
      rows,
      ...(skipped > 0 ? { skipped } : {}),
      ...(outside > 0 ? { outside } : {}),
      more,
      outcome: worst.find((outcome) => flags[outcome]) ?? 'complete',
    };
  });
}

/** The worst outcome of the stages. */
export function outcomeOf(stages: readonly StageProgress[]): Outcome {
  return worst.find((outcome) => stages.some((stage) => stage.outcome === outcome)) ?? 'complete';
}
