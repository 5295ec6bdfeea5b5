import type { Operation } from './Operation.ts';
import type { FanOutSpec, Service } from './Service.ts';

/** The data of a service. */
export type ServiceSpec<Operations, FanOuts> = Omit<Service, 'operations' | 'fanOuts'> & {
  readonly operations: Operations;
  readonly fanOuts?: FanOuts | undefined;
};

/** A service from data that is known to be right. Our own is checked by a test, not at every start. */
export function madeService<
  const Operations extends { readonly [name: string]: Operation },
  const FanOuts extends { readonly [name: string]: FanOutSpec } = {},
>(spec: ServiceSpec<Operations, FanOuts>): Service<Operations, FanOuts> {
  const operations = Object.fromEntries(
    Object.entries(spec.operations).map(([each, operation]) => [each, ofService(spec, each, operation)]),
  );
  return Object.freeze({ ...spec, operations: operations as unknown as Operations, fanOuts: spec.fanOuts ?? ({} as FanOuts) });
}

/** An operation with its name, and with what every request of its service has. */
function ofService({ headers, fixed }: Pick<Service, 'headers' | 'fixed'>, key: string, operation: Operation): Operation {
  if (operation.name !== '' && headers === undefined && fixed === undefined) return operation;
  const name = operation.name === '' ? key : operation.name;
  const spec = {
    ...operation.spec,
    name,
    ...(headers === undefined ? {} : { headers: { ...lowerCase(headers), ...lowerCase(operation.spec.headers ?? {}) } }),
    ...(fixed === undefined ? {} : { fixed: { ...fixed, ...operation.spec.fixed } }),
  };
  return { ...operation, spec, name };
}

function lowerCase(headers: { readonly [name: string]: string }): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
