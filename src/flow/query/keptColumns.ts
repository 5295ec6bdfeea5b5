import type { FlowStage } from '../definition/Flow.ts';
import { textOf, valuesAt, type FieldPath } from '../../contract/valuesAt.ts';

/** Columns that come with a query from the row it was found in. */
export interface KeptColumns {
  readonly [column: string]: unknown;
}

/** The columns that a stage keeps of its input row. undefined if there are none. */
export function keptColumns(stage: FlowStage, row: object): KeptColumns | undefined {
  if (stage.keep.length === 0) return undefined;
  return Object.fromEntries(
    stage.keep.map(([column, binding]) => {
      if (binding.kind === 'constant') return [column, binding.value];
      if (binding.kind === 'text') {
        return [column, binding.parts.map((part) => (typeof part === 'string' ? part : textOf(valuesAt(row, part)[0]))).join('')];
      }
      const values = valuesAt(row, binding);
      return [column, binding.keys.includes('[]') ? values : (values[0] ?? null)];
    }),
  );
}

/** What a row says where `unless` of its stage looks. */
export function unlessOf({ since }: FlowStage, row: object): string | undefined {
  return since?.unless === undefined ? undefined : textOf(valuesAt(row, since.unless)[0]);
}

/** A copy of a row with these fields only, nested as before. */
export function pickFields(row: object, fields: readonly FieldPath[]): object {
  const picked: Tree = {};
  for (const { keys } of fields) copy(row, picked, keys, 0);
  return picked;
}

function copy(from: unknown, to: Tree, keys: readonly string[], at: number): void {
  const key = keys[at]!;
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, key)) return;
  const value = (from as Tree)[key];
  let copied = value;
  if (at + 1 < keys.length) {
    const inner = Object.hasOwn(to, key) ? to[key] : {};
    if (typeof inner !== 'object' || inner === null) return;
    copy(value, inner as Tree, keys, at + 1);
    copied = inner;
  }
  // Not by assignment, because that would set the prototype for a field named __proto__.
  Object.defineProperty(to, key, { value: copied, enumerable: true, writable: true, configurable: true });
}

interface Tree {
  [field: string]: unknown;
}
