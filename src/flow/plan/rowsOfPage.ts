import type { FlowStage } from '../definition/Flow.ts';
import { listOfStage } from '../definition/listOfStage.ts';

/** The most rows of one page, if documented. Otherwise Infinity. */
export function rowsOfPage(stage: FlowStage): number {
  const { spec, params } = stage.operation;
  const list = listOfStage(stage);
  if (list === null) return 1;
  if (list !== spec.list) return Infinity;
  // The offset counts rows in fixed steps, so a page has no more rows than a step.
  if (spec.paging.kind === 'offset' && typeof spec.paging.step === 'number' && spec.paging.step > 1) return spec.paging.step;
  const { results } = params;
  if (results === undefined) return Infinity;
  const values = stage.with.find(([param]) => param === 'results')?.[1];
  if (values === undefined) return typeof results.default === 'number' ? results.default : Infinity;
  return Math.max(...values.map((value) => (value.kind === 'constant' ? Number(value.value) : (results.max ?? Infinity))));
}
