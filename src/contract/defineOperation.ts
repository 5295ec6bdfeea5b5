import { inWords } from '../../operators/check/inWords.ts';
import { nearestName } from '../../operators/check/nearestName.ts';
import { kindOf, pagingKinds } from '../../operators/walk/paging/pagingKinds.ts';
import { envelopeFault } from './envelopeOf.ts';
import { rowsFault } from './rowsFault.ts';
import type { Named, Operation, OperationInput } from './Operation.ts';
import { requestFault } from './requestFaults.ts';

/** Creates an operation from its data. Throws a RangeError if its path or its paging names a parameter that it doesn't have. */
export function defineOperation<const S extends OperationInput>(input: S): Operation<Named<S>> {
  const spec = (input.name === undefined ? { ...input, name: '' } : input) as unknown as Named<S>;
  const { path, params, paging, claims, order } = spec;
  const name = input.name ?? path;
  const names = Object.keys(params);
  const need = (where: string, param: string): void => {
    if (names.includes(param)) return;
    const nearest = nearestName(param, names);
    const instead = nearest === undefined ? `params has ${names.join(', ')}` : `did you mean ${nearest}?`;
    throw new RangeError(`defineOperation(${name}): ${where} names '${param}', which is not one of its params; ${instead}`);
  };
  for (const [, param] of path.matchAll(/\{([^}]*)\}/g)) {
    need('path', param!);
    if (params[param!]!.required !== true && input.fixed?.[param!] === undefined)
      throw new RangeError(`defineOperation(${name}): ${param} is in the path, so it must be required`);
  }
  if (!Object.hasOwn(pagingKinds, paging.kind)) {
    throw new RangeError(
      `defineOperation(${name}): paging.kind must be ${Object.keys(pagingKinds).join(', ')}, not ${inWords(paging.kind)}`,
    );
  }
  for (const param of kindOf(paging).params(paging)) need('paging', param);
  if (paging.kind === 'cursor' && Array.isArray(paging.alone))
    for (const param of paging.alone as readonly string[]) need('paging.alone', param);
  const wrapping = envelopeFault(spec.envelope);
  if (wrapping !== undefined) throw new RangeError(`defineOperation(${name}): ${wrapping}`);
  const rows = rowsFault(spec);
  if (rows !== undefined) throw new RangeError(`defineOperation(${name}): ${rows}`);
  if (order !== undefined) need('order.param', order.param);
  for (const param of claims?.unless ?? []) need('claims.unless', param);
  const fault = requestFault(input);
  if (fault !== undefined) throw new RangeError(`defineOperation(${name}): ${fault}`);
  return { spec, name: spec.name, params: spec.params };
}
