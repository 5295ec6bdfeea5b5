import type { FlowStage } from '../definition/Flow.ts';
import { textOf, valuesAt } from './valuesAt.ts';

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
