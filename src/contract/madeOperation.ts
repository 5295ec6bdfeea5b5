import type { Named, Operation, OperationInput } from './Operation.ts';

/** An operation from data that is known to be right. Our own are checked by a test, not at every start. */
export function madeOperation<const S extends OperationInput>(input: S): Operation<Named<S>> {
  const spec = (input.name === undefined ? { ...input, name: '' } : input) as unknown as Named<S>;
  return { spec, name: spec.name, params: spec.params };
}
