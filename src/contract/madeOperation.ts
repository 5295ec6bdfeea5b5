import type { MadeOf, Operation, OperationInput, OperationSpec } from './Operation.ts';
import { pagingOf } from './pagingOf.ts';
import { timeParams, timeRules } from './timeParams.ts';
import { responseOfRow } from './responseOfRow.ts';

/** Makes an operation without checking its data. Our own operations are checked by a test instead, so that each start is faster. */
export function madeOperation<const S extends OperationInput>(input: S): Operation<MadeOf<S>> {
  const spec = describedSpec(input) as MadeOf<S>;
  return { spec, name: spec.name, params: spec.params };
}

/** A description with everything that follows from it: its paging, its parameters for times, the shape of its response. */
export function describedSpec(input: OperationInput & Pick<OperationSpec, 'rules'>): OperationSpec {
  const { name = '', rows, row = 'unknown', keyed } = input;
  const response = (input.response ?? responseOfRow(rows, row, keyed, input)) as OperationSpec['response'];
  const params = { ...input.params, ...timeParams(input) };
  const paging = pagingOf(input, response);
  const { total, ownPaging: { unless } = {} } = input;
  const claims = total === undefined ? {} : { claims: { at: total, ...(unless && { unless }) } };
  const rules = [...(input.rules ?? []), ...timeRules(input)];
  return { ...input, name, params, response, paging, ...claims, ...(rules.length > 0 && { rules }) };
}
