import { ownValue } from '../../../operators/kit/ownValue.ts';
import { pagingKindOf } from '../../contract/index.ts';
import type { Flow } from '../definition/Flow.ts';
import type { Lineage, StageQuery } from '../query/StageQuery.ts';
import type { FailedQuery, FlowState } from './FlowState.ts';

/** The lines of `failures.jsonl`. */
export function* failureLines(flow: Flow, state: FlowState): Generator<string, void, undefined> {
  for (const failed of state.failed.values()) yield `${JSON.stringify(failureLine(failed, flow))}\n`;
  for (const { query, got, claimed, final, because } of state.short.values()) {
    const short = { got, claimed, because, final: final ? 'it was walked again in every order, and no more rows came' : undefined };
    yield `${JSON.stringify({ ...placeOf(query, flow), short })}\n`;
  }
}

/** A failed query: how to repeat it, and where it came from. */
function failureLine({ query, failure, got }: FailedQuery, flow: Flow): object {
  const { at, ...error } = failure;
  const { claimed } = query.walk;
  const { paging } = flow.byName.get(query.stage)!.operation.spec;
  const cursor = ownValue(query.walk.query, pagingKindOf(paging).param(paging, {}));
  const { lineage, ...place } = placeOf(query, flow);
  return {
    ...place,
    ...(cursor === undefined ? {} : { cursor }),
    pages: query.walk.pages,
    ...(claimed === undefined ? {} : { got, claimed }),
    lineage,
    error,
    at: new Date(at).toISOString(),
  };
}

function placeOf(
  query: StageQuery,
  flow: Flow,
): { readonly stage: string; readonly operation: string; readonly query: object; readonly lineage: readonly object[] } {
  const lineage: object[] = [];
  for (let one: Lineage | undefined = query.parent; one !== undefined; one = one.parent)
    lineage.unshift({ stage: one.stage, query: one.params });
  return { stage: query.stage, operation: flow.byName.get(query.stage)!.operation.name, query: query.params, lineage };
}
