import { serviceFields } from './language/serviceFields.ts';
import { madeService, type ServiceSpec, type FanOutSpec, type Service, failureFault } from './Service.ts';
import { checkQuery } from './checkQuery/checkQuery.ts';
import { keyHeader, limitFault, type KeySpec } from './EnvelopeSpec.ts';
import { type Operation, madeOperation, type Named, type OperationInput } from './Operation.ts';
import { checkOperation, nameFault, pathFault } from './language/checkOperation.ts';
import { clientMembers } from './describeOperation.ts';
import { besideKeyFault } from './requestBody.ts';
import { tokenFault } from './TokenSpec.ts';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Creates a service from its data. Throws a RangeError that names the field if the data can't be right: an unknown
 * field, an operation under a name other than its own, a fan-out that calls nothing.
 *
 * @example
 * const books = defineService({
 *   name: 'books',
 *   key: { header: 'authorization', prefix: 'Bearer ' },
 *   operations: { search: defineOperation({ … }) },
 * });
 * const client = createClient({ service: books, baseUrl, apiKey });
 */
export function defineService<
  const Operations extends { readonly [name: string]: Operation },
  const FanOuts extends { readonly [name: string]: FanOutSpec } = {},
>(spec: ServiceSpec<Operations, FanOuts>): Service<Operations, FanOuts> {
  const caller = `defineService(${spec?.name})`;
  serviceFields.check(caller, spec);
  const service = madeService(spec);
  checkService(caller, service);
  return service;
}

/** Creates an operation from its data. Throws a RangeError that names the field if the data can't be right. */
export function defineOperation<const S extends OperationInput>(input: S): Operation<Named<S>> {
  checkOperation(`defineOperation(${input?.name ?? input?.path})`, input);
  return madeOperation(input);
}

/** `then` would make a promise of a client. */
const taken: readonly string[] = [...clientMembers, 'then'];

/** Throws a RangeError that names the field if the parts of a service don't fit together. */
function checkService(caller: string, service: Service): void {
  for (const fault of faultsOf(service)) if (fault !== undefined) throw new RangeError(`${caller}: ${fault}`);
}

function* faultsOf(service: Service): Generator<string | undefined> {
  const { operations, fanOuts, failures = [], limit, groups } = service;
  if (Object.keys(operations).length === 0) yield 'operations must name at least one';
  for (const [each, { name, spec }] of Object.entries(operations)) {
    const where = `operations.${each}`;
    if (taken.includes(each) || each in Object.prototype) yield `${where}: a client has another ${each}; choose another name`;
    if (name !== each) yield `${where} is called ${name}; both names must be the same`;
    for (const [param, { expires }] of Object.entries(spec.params)) {
      if (expires === undefined) continue;
      yield nameFault(`${where}.params.${param}.expires.operation`, expires.operation, operations, 'its operations');
      yield pathFault(`${where}.params.${param}.expires.at`, expires.at, operations[expires.operation]!.spec.response, 'its response');
    }
  }
  yield* keyFaults(service);
  yield checkFault(service);
  for (const [index, rule] of failures.entries()) {
    const fault = failureFault(rule);
    if (fault !== undefined) yield `failures[${index}]${fault}`;
  }
  const limits = [['limit', limit] as const, ...Object.entries(groups ?? {}).map(([group, of]) => [`groups.${group}`, of] as const)];
  for (const [where, of] of limits) {
    const fault = of === undefined || of === 'learnt' ? undefined : limitFault(of);
    if (fault !== undefined) yield `${where}${fault}`;
  }
  if (groups !== undefined) {
    const grouped = Object.entries(operations).flatMap(([each, { spec }]) =>
      spec.group === undefined ? [] : [[each, spec.group] as const],
    );
    const used = Object.fromEntries(grouped.map(([, group]) => [group, true]));
    for (const group of Object.keys(groups)) yield nameFault('groups', group, used, 'the groups of its operations');
    for (const [each, group] of grouped) yield nameFault(`operations.${each}.group`, group, groups, 'groups');
  }
  yield* priceFaults(service);
  for (const [each, fanOut] of Object.entries(fanOuts)) {
    if (Object.hasOwn(operations, each)) yield `fanOuts.${each}: an operation has that name`;
    yield nameFault(`fanOuts.${each}.call`, fanOut.call, operations, 'its operations');
    const { params } = operations[fanOut.call]!;
    for (const param of Object.keys(fanOut.with))
      yield nameFault(`fanOuts.${each}.with`, param, params, `the parameters of ${fanOut.call}`);
    for (const param of fanOut.by ?? []) yield nameFault(`fanOuts.${each}.by`, param, fanOut.with, 'with');
  }
}

function* priceFaults({ price = {}, operations }: Service): Generator<string | undefined> {
  const isTold = Object.hasOwn(price, 'header');
  if (isTold && Object.keys(price).length > 1) yield 'price has a header, which tells the price of all operations, and others';
  for (const [each, value] of Object.entries(price)) {
    if (!isTold) yield nameFault('price', each, { ...operations, default: true, failed: true }, 'its operations, default and failed');
    if ((typeof value === 'string') !== isTold) yield `price.${each} must be ${isTold ? "a header's name" : 'a number'}`;
  }
}

function* keyFaults({ key, secrets = {}, headers, operations }: Service): Generator<string | undefined> {
  yield tokenFileFault(key);
  if (key !== undefined && 'header' in key && key.value !== undefined) {
    if (key.prefix !== undefined) yield 'key has prefix and value; value makes the whole header';
    if (key.token !== undefined) yield 'key has token and value; the header has the token';
  }
  if (key !== undefined && 'token' in key && key.token !== undefined) {
    const fault = tokenFault(key.token);
    if (fault !== undefined) yield `key.token${fault}`;
  }
  const places = new Map<string, string>();
  for (const [name, spec] of [...(key === undefined ? [] : [['key', key] as const]), ...Object.entries(secrets)]) {
    const where = spec === key ? name : `secrets.${name}`;
    yield besideKeyFault(spec, headers, operations);
    if ('prefix' in spec && !/^[\x20-\x7e]*$/.test(spec.prefix ?? ''))
      yield `${where}.prefix contains a character that a header can't carry`;
    const place = 'param' in spec ? `the parameter ${spec.param}` : `the header ${keyHeader(spec)}`;
    if (places.has(place)) yield `${where} has ${place}, and so has ${places.get(place)}`;
    if (!('sign' in spec)) places.set(place, where);
  }
}

/** What is wrong with the request that shows whether the key works. */
function checkFault({ check, operations }: Service): string | undefined {
  if (check === undefined) return undefined;
  const fault = nameFault('check.call', check.call, operations, 'its operations');
  if (fault !== undefined) return fault;
  const [issue] = checkQuery(operations[check.call]!, check.with ?? {});
  return issue && `check.with: ${issue.message}`;
}

function tokenFileFault(key: KeySpec | undefined): string | undefined {
  if (key === undefined || !('oauth2' in key)) return undefined;
  const { grant, file } = key.oauth2;
  if (grant === 'refresh_token') return file === undefined ? 'key.oauth2.file is missing: the file with the refresh token' : undefined;
  return file === undefined ? undefined : `key.oauth2.file is for the grant 'refresh_token', not '${grant}'`;
}

type Spec = ServiceSpec<{ readonly [name: string]: Operation }, { readonly [name: string]: FanOutSpec }>;

/** Loads a service from a module: its default export, or its only export that is one. Throws an Error that names the file. */
export async function loadService(path: string): Promise<Service> {
  const file = resolve(path);
  const name = relative('.', file);
  let module: { readonly [name: string]: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (error) {
    const hint = /\.[cm]?ts$/.test(file) ? '. TypeScript has to be compiled first' : '';
    throw new Error(`${name} can't be loaded as a module: ${error instanceof Error ? error.message : String(error)}${hint}`, {
      cause: error,
    });
  }
  const found = Object.hasOwn(module, 'default') ? [module['default']] : Object.values(module).filter(isService);
  const [spec] = found;
  if (found.length !== 1 || !isService(spec)) {
    throw new Error(`${name} exports no service: write export default defineService({ … })`);
  }
  return defineService(spec);
}

function isService(value: unknown): value is Spec {
  return typeof value === 'object' && value !== null && 'operations' in value && typeof value.operations === 'object';
}
