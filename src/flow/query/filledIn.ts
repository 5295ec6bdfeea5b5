import { LazyRow } from '../../../operators/LazyRow.ts';
import type { FieldPath } from '../definition/parseBinding.ts';
import type { FlowStage } from '../definition/Flow.ts';
import { valuesAt } from './valuesAt.ts';

/** Counts the rows in which each expected field is filled. */
export function filledIn(stage: FlowStage, rows: readonly object[]): { readonly [field: string]: number } {
  return Object.fromEntries(stage.filled.map((field) => [field.path, rows.filter((row) => holds(row, field)).length]));
}

function holds(row: object, field: FieldPath): boolean {
  if (!(row instanceof LazyRow)) return valuesAt(row, field).some((value) => value !== undefined && value !== null && value !== '');
  if (row.isFilled(field.path)) return true;
  const [first] = field.keys as readonly [string, ...string[]];
  return first !== field.path && holds({ [first]: row.field(first) }, field);
}
