import type { FlowStage } from './Flow.ts';

/** The list of the answer that a stage reads its rows from; null: the answer itself is the one row. */
export function listOfStage(stage: Pick<FlowStage, 'operation' | 'rows' | 'with'>): string | null {
  if (stage.rows !== undefined) return stage.rows;
  const { list, variants } = stage.operation.spec;
  if (variants === undefined) return list;
  const value = stage.with.find(([param]) => param === variants.param)?.[1][0];
  const variant = value?.kind === 'constant' ? variants.values[String(value.value)] : undefined;
  return variant === undefined ? list : variant.list;
}
