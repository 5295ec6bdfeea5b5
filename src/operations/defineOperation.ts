import type { Operation, OperationSpec } from './contract/Operation.ts';
import type { ParamSpec } from './contract/Param.ts';
import { shared } from './shared.ts';

/** Checks an operation's data by type and resolves the parameters it shares with others. */
export function defineOperation<const S extends OperationSpec>(spec: S): Operation<S> {
  const common: { readonly [name: string]: ParamSpec } = shared;
  const params: Record<string, ParamSpec> = {};
  for (const [name, param] of Object.entries(spec.params)) {
    const resolved = param === 'shared' ? common[name] : param;
    if (resolved === undefined) throw new RangeError(`defineOperation: ${spec.name} shares '${name}', which shared.ts does not have`);
    params[name] = resolved;
  }
  return { spec, name: spec.name, params: params as Operation<S>['params'] };
}
