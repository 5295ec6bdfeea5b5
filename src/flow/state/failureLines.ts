import type { Flow } from '../definition/Flow.ts';
import type { Lineage, Unit } from '../unit/Unit.ts';
import type { FailedUnit, FlowState } from './FlowState.ts';

/** What failed, as the lines of `failures.jsonl`. */
export function* failureLines(flow: Flow, state: FlowState): Generator<string, void, undefined> {
  for (const failed of state.failed.values()) yield `${JSON.stringify(failureLine(failed, flow))}\n`;
  for (const { unit, got, claimed, final } of state.short.values()) {
    const short = { got, claimed, ...(final ? { final: 'it was walked again in every order, and no more rows came' } : {}) };
    yield `${JSON.stringify({ ...placeOf(unit, flow), short })}\n`;
  }
}

/** A query that failed: what to send to do it again, and where it came from. */
function failureLine({ unit, failure, got }: FailedUnit, flow: Flow): object {
  const { at, ...error } = failure;
  const { claimed } = unit.walk;
  const { paging } = flow.byName.get(unit.stage)!.factory;
  const cursor = paging.kind === 'none' ? undefined : unit.walk.query[paging.param];
  const { lineage, ...place } = placeOf(unit, flow);
  return {
    ...place,
    ...(cursor === undefined ? {} : { cursor }),
    pages: unit.walk.pages,
    ...(claimed === undefined ? {} : { got, claimed }),
    lineage,
    error,
    at: new Date(at).toISOString(),
  };
}

function placeOf(
  unit: Unit,
  flow: Flow,
): { readonly stage: string; readonly operation: string; readonly query: object; readonly lineage: readonly object[] } {
  const lineage: object[] = [];
  for (let one: Lineage | undefined = unit.parent; one !== undefined; one = one.parent)
    lineage.unshift({ stage: one.stage, query: one.query });
  return { stage: unit.stage, operation: flow.byName.get(unit.stage)!.operation.name, query: unit.query, lineage };
}
