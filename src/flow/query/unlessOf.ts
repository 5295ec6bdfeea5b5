import type { FlowStage } from '../definition/Flow.ts';
import { textOf, valuesAt } from './valuesAt.ts';

/** What a row says where `unless` of its stage looks. */
export function unlessOf({ since }: FlowStage, row: object): string | undefined {
  return since?.unless === undefined ? undefined : textOf(valuesAt(row, since.unless)[0]);
}
