import type { Operation, OperationSpec } from './Operation.ts';

/** An operation from its data, checked by type. */
export function defineOperation<const S extends OperationSpec>(spec: S): Operation<S> {
  return { spec, name: spec.name, params: spec.params };
}
