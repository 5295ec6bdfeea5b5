import type { FlowStage } from '../definition/Flow.ts';
import { valuesAt } from './valuesAt.ts';

/** In how many rows each of the stage's expected fields holds something. */
export function filledIn(stage: FlowStage, rows: readonly object[]): { readonly [field: string]: number } {
  const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
  return Object.fromEntries(stage.filled.map((field) => [field.path, rows.filter((row) => valuesAt(row, field).some(isFilled)).length]));
}
