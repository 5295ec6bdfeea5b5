import { nearestName } from '../../operators/check/nearestName.ts';
import { clientMembers } from './clientMembers.ts';
import { envelopeFault } from './envelopeOf.ts';
import { failureFault } from './FailureSpec.ts';
import { keyFault } from './KeySpec.ts';
import type { Operation } from './Operation.ts';
import { headersFault, keyHeaderFault } from './requestFaults.ts';
import type { FanOutSpec, Service } from './Service.ts';

/** The data of a service. */
export type ServiceSpec<Operations, FanOuts> = Omit<Service, 'operations' | 'fanOuts'> & {
  readonly operations: Operations;
  readonly fanOuts?: FanOuts | undefined;
};

/** `then` would make a promise of a client. */
const taken: readonly string[] = [...clientMembers, 'then'];

/**
 * Creates a service from its data. Throws a RangeError if the data is invalid: an operation under a name other than its
 * own, a path without a slash, a fan-out that calls nothing.
 *
 * @example
 * const books = defineService({
 *   name: 'books',
 *   key: { header: 'authorization', value: (key) => `Bearer ${key}` },
 *   operations: { search: defineOperation({ … }) },
 * });
 * const client = createClient({ service: books, baseUrl, apiKey });
 */
export function defineService<
  const Operations extends { readonly [name: string]: Operation },
  const FanOuts extends { readonly [name: string]: FanOutSpec } = {},
>(spec: ServiceSpec<Operations, FanOuts>): Service<Operations, FanOuts> {
  const { name, basePath = '', nextPaths = [], key, envelope, failures = [] } = spec;
  const operations = Object.fromEntries(
    Object.entries(spec.operations ?? {}).map(([each, operation]) => [each, ofService(spec, each, operation)]),
  );
  const fanOuts = spec.fanOuts ?? ({} as FanOuts);
  const refuse = (what: string): never => {
    throw new RangeError(`defineService(${name}): ${what}`);
  };
  if (typeof name !== 'string' || name === '') refuse('name must be a text that is not empty');
  if (basePath !== '' && !basePath.startsWith('/')) refuse(`basePath must start with a slash, not be ${JSON.stringify(basePath)}`);
  if (!Array.isArray(nextPaths) || nextPaths.some((path: unknown) => typeof path !== 'string' || !path.startsWith('/')))
    refuse(`nextPaths must be a list of paths that start with a slash, not ${JSON.stringify(nextPaths)}`);
  const wrapping = envelopeFault(envelope);
  if (wrapping !== undefined) refuse(wrapping);
  for (const [index, rule] of failures.entries()) {
    const fault = failureFault(rule);
    if (fault !== undefined) refuse(`failures[${index}]${fault}`);
  }
  const wrongHeaders = headersFault(spec.headers);
  if (wrongHeaders !== undefined) refuse(wrongHeaders);
  const names = Object.keys(operations);
  if (names.length === 0) refuse('operations must name at least one');
  for (const each of names) {
    if (taken.includes(each) || each in Object.prototype) refuse(`operations.${each}: a client has another ${each}; choose another name`);
    if (operations[each]?.name !== each)
      refuse(`operations.${each} is called ${String(operations[each]?.name)}; both names must be the same`);
  }
  const params = Object.fromEntries(names.map((each) => [each, operations[each]!.params]));
  const wrongKey = key === undefined ? undefined : keyFault(key, params);
  if (wrongKey !== undefined) refuse(wrongKey);
  const beside = keyHeaderFault(key, spec.headers, operations);
  if (beside !== undefined) refuse(beside);
  for (const [each, { call, with: sources }] of Object.entries<FanOutSpec>(fanOuts)) {
    if (names.includes(each)) refuse(`fanOuts.${each}: an operation has that name`);
    if (!names.includes(call)) {
      const nearest = nearestName(call, names);
      refuse(`fanOuts.${each} calls '${call}', which is no operation${nearest === undefined ? '' : `; did you mean '${nearest}'?`}`);
    }
    const params = Object.keys(operations[call]!.params);
    for (const param of Object.keys(sources)) {
      if (!params.includes(param)) refuse(`fanOuts.${each}.with: ${call} has no parameter '${param}'; it has ${params.join(', ')}`);
    }
  }
  return Object.freeze({ ...spec, operations: operations as unknown as Operations, fanOuts });
}

/** An operation with its name, and with what every request of its service has. */
function ofService({ headers, fixed }: Pick<Service, 'headers' | 'fixed'>, key: string, operation: Operation): Operation {
  if (operation?.spec === undefined || (operation.name !== '' && headers === undefined && fixed === undefined)) return operation;
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
