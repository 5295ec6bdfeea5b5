import { checkOperation } from './language/checkOperation.ts';
import type { Named, Operation, OperationInput } from './Operation.ts';

/** Creates an operation from its data. Throws a RangeError that names the place if the data can't be right. */
export function defineOperation<const S extends OperationInput>(input: S): Operation<Named<S>> {
  checkOperation(`defineOperation(${input.name ?? input.path})`, input);
  const spec = (input.name === undefined ? { ...input, name: '' } : input) as unknown as Named<S>;
  return { spec, name: spec.name, params: spec.params };
}
