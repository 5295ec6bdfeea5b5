import { isFilled, valuesAt, type FieldPath } from '../../contract/valuesAt.ts';
import type { FlowStage } from '../definition/Flow.ts';
import { digestOf } from '../core/Query.ts';

/** Columns that a run adds to each row. */
export const ownColumns: ReadonlySet<string> = new Set(['first_seen', 'last_seen', '_source']);

/**
 * The identity of a row: a digest of these fields. Where none of them has a value, of all that is written of the row: two rows
 * without an id aren't the same for it.
 */
export function rowKey(
  { volatile }: Pick<FlowStage, 'volatile'>,
  fields: readonly FieldPath[],
  row: object,
  written: () => object = () => row,
): bigint {
  const values = fields.map((field) => valuesAt(row, field));
  return digestOf(values.some((some) => some.some(isFilled)) ? JSON.stringify(values) : contentOf(written(), volatile));
}

/** A field as text, without what changes by itself. */
export function fieldText(value: unknown, path: string, volatile: ReadonlySet<string>): string | undefined {
  return JSON.stringify(value, function (this: unknown, key, inner: unknown) {
    return this === value && volatile.has(`${path}.${key}`) ? undefined : inner;
  });
}

function contentOf(row: object, volatile: ReadonlySet<string>): string {
  const fields = Object.entries(row).filter(([name]) => !ownColumns.has(name) && !volatile.has(name));
  return JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [name, fieldText(value, name, volatile)])));
}
