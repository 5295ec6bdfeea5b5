import type { FieldPath } from '../definition/Binding.ts';
import { valuesAt } from './valuesAt.ts';

/** When a row is from, in milliseconds since 1970. Numbers are seconds or milliseconds. NaN: it doesn't say. */
export function timeOf(row: object, field: FieldPath): number {
  const [value] = valuesAt(row, field);
  if (typeof value === 'number') return Math.abs(value) < 1e11 ? value * 1000 : value;
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}
