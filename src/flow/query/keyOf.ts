import type { FieldPath } from '../definition/Binding.ts';
import { digestOf } from './digestOf.ts';
import { valuesAt } from './valuesAt.ts';

/** The identity of a row: a digest of these fields. */
export function keyOf(row: object, fields: readonly FieldPath[]): bigint {
  return digestOf(JSON.stringify(fields.map((field) => valuesAt(row, field))));
}
