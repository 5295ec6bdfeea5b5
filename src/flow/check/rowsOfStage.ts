import { rowShape, variantFor, type FanOutSpec, type Operation, type Shape } from '../../contract/index.ts';
import type { StageDefinition } from '../definition/flowFormat.ts';

/** What is known about the rows of a stage: their shape, and the kept columns. */
export interface RowsOfStage {
  readonly shape: Shape;
  readonly kept: readonly string[];
}

export function rowsOfStage(stage: StageDefinition, operation: Operation, fanOut?: FanOutSpec): RowsOfStage {
  const { response, list, variants } = operation.spec;
  const kept = Object.keys(stage.keep ?? {});
  const value = variants === undefined ? undefined : (stage.with?.[variants.param] ?? fanOut?.with[variants.param]);
  const variant = variantFor(operation.spec, value);
  const shape = rowShape(variant?.response ?? response, stage.rows ?? (variant === undefined ? list : variant.list)) ?? 'unknown';
  return { shape, kept };
}
