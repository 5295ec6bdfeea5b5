import { checkOperation } from './language/checkOperation.ts';
import { madeOperation } from './madeOperation.ts';
import type { Named, Operation, OperationInput } from './Operation.ts';

/** Creates an operation from its data. Throws a RangeError that names the place if the data can't be right. */
export function defineOperation<const S extends OperationInput>(input: S): Operation<Named<S>> {
  checkOperation(`defineOperation(${input.name ?? input.path})`, input);
  return madeOperation(input);
}
