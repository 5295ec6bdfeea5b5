import type { Flow } from '../definition/Flow.ts';
import type { Lineage, Unit } from '../unit/Unit.ts';
import type { FlowState } from './FlowState.ts';
import type { UnitFailure } from './JournalRecord.ts';

/** What failed, as the lines of `failures.jsonl`. */
export function* failureLines(flow: Flow, state: FlowState): Generator<string, void, undefined> {
  for (const { unit, failure } of state.failed.values()) yield `${JSON.stringify(failureLine(unit, flow, failure))}\n`;
}

/** A failed unit as a row of `failures.jsonl`: what to ask for to do it again, and where it came from. */
function failureLine(unit: Unit, flow: Flow, { at, ...error }: UnitFailure): object {
  const stage = flow.byName.get(unit.stage)!;
  const { paging } = stage.factory;
  const cursor = paging.kind === 'none' ? undefined : unit.walk.query[paging.param];
  const lineage: object[] = [];
  for (let one: Lineage | undefined = unit.parent; one !== undefined; one = one.parent)
    lineage.unshift({ stage: one.stage, query: one.query });
  return {
    stage: unit.stage,
    operation: stage.operation.name,
    query: unit.query,
    ...(cursor === undefined ? {} : { cursor }),
    pages: unit.walk.pages,
    lineage,
    error,
    at: new Date(at).toISOString(),
  };
}
