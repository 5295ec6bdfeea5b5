import { variantFor } from '../../contract/index.ts';
import type { FlowStage } from './Flow.ts';

/** The list in the response that a stage reads its rows from. null: the response itself is the only row. */
export function listOfStage(stage: Pick<FlowStage, 'operation' | 'rows' | 'with' | 'fanOut'>): string | null {
  if (stage.rows !== undefined) return stage.rows;
  const { list, variants } = stage.operation.spec;
  if (variants === undefined) return list;
  const value = stage.with.find(([param]) => param === variants.param)?.[1][0];
  const filled = stage.fanOut?.with[variants.param];
  // A variant for any value fits any value of a row.
  const text = value?.kind === 'constant' ? value.value : value === undefined ? filled : '*';
  const variant = variantFor(stage.operation.spec, text);
  return variant === undefined ? list : variant.list;
}
