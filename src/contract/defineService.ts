import { serviceFields } from './language/serviceFields.ts';
import { madeService, type ServiceSpec, type FanOutSpec, type Service } from './Service.ts';
import { failureFault } from './FailureSpec.ts';
import { checkQuery } from './checkQuery/checkQuery.ts';
import type { Operation, MadeOf, OperationInput } from './Operation.ts';
import { madeOperation } from './madeOperation.ts';
import { checkOperation, pathFault } from './language/checkOperation.ts';
import { nameFault, slotsWithin } from './language/checkRequest.ts';
import { clientMembers } from './describeOperation.ts';
import { envelopeOf } from './envelopeOf.ts';
import { planOf, routeOf } from './request.ts';
import { isSecret, needsOf } from './secrets.ts';
import { namesIn } from './template.ts';
import { nearestName } from '../../operators/check/nearestName.ts';
import { jsonFault, jsonLocations } from '../../operators/kit/jsonLocations.ts';
import { extname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Creates a service from its data. Throws a RangeError that names the field if the data can't be right: for an unknown field, an operation
 * under another name than its own, or a fan-out that calls an unknown operation.
 *
 * @example
 * const books = defineService({
 *   name: 'books',
 *   headers: { authorization: 'Bearer ${key}' },
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
export function defineOperation<const S extends OperationInput>(input: S): Operation<MadeOf<S>> {
  checkOperation(`defineOperation(${input?.name ?? routeOf(input ?? {}).path})`, input);
  return madeOperation(input);
}

/** Names that no operation may have. A client with a member `then` would be treated as a promise. */
const taken: readonly string[] = [...clientMembers, 'then'];

/** Throws a RangeError that names the field if the parts of a service don't fit together. */
function checkService(caller: string, service: Service): void {
  for (const fault of faultsOf(service)) if (fault !== undefined) throw new RangeError(`${caller}: ${fault}`);
}

function* faultsOf(service: Service): Generator<string | undefined> {
  const { operations, fanOuts, failures = [], limits = {} } = service;
  for (const [each, { name }] of Object.entries(operations)) {
    const where = `operations.${each}`;
    if (taken.includes(each) || each in Object.prototype) yield `${where}: a client has another ${each}; choose another name`;
    if (name !== each) yield `${where} is called ${name}; both names must be the same`;
  }
  for (const [each, operation] of Object.entries(operations)) {
    const { paging, response } = operation.spec;
    // Where the whole body is the data, its shape tells whether the object can be there.
    if (paging.kind === 'merge' && envelopeOf(service, operation).data === undefined)
      yield pathFault(`operations.${each}.merge`, paging.at, response, 'response');
    const { secret, query } = planOf(operation);
    const twice = secret.query.find(({ wire }) => query.some((field) => field.wire === wire));
    if (twice !== undefined) yield `operations.${each}.params.${twice.wire} has the name that a secret has in the address`;
  }
  yield* secretFaults(service);
  yield accountFault(service);
  yield failureFault(failures);
  const { default: _, ...groups } = limits;
  if (Object.keys(groups).length > 0) {
    const grouped = Object.entries(operations).flatMap(([each, { spec }]) =>
      spec.group === undefined ? [] : [[each, spec.group] as const],
    );
    const used = Object.fromEntries(grouped.map(([, group]) => [group, true]));
    for (const group of Object.keys(groups)) yield nameFault('limits', group, used, 'default and the groups of its operations');
    for (const [each, group] of grouped) yield nameFault(`operations.${each}.group`, group, groups, 'limits');
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
  for (const [each, value] of Object.entries(price)) {
    yield nameFault(
      'price',
      each,
      { ...operations, default: true, failed: true, at: true, row: true, unit: true },
      'its operations, default, failed, at, row and unit',
    );
    const text = { at: 'where a response tells it', unit: "a word such as 'credits'" }[each];
    if ((typeof value === 'string') !== (text !== undefined)) yield `price.${each} must be ${text ?? 'a number'}`;
  }
  if (price.row !== undefined && price['default'] !== undefined)
    yield 'price has row and default; row is for the operations without a price of their own, so name the others';
}

/** What is wrong with the texts for all requests of a service, and with its token. */
function* secretFaults(service: Service): Generator<string | undefined> {
  const { token, sign, headers, query } = service;
  const needs = needsOf(service);
  for (const [where, slot] of slotsWithin('', { headers, query, token })) {
    const at = where.slice(1);
    if (!isSecret(slot) && !slot.name.startsWith('env.'))
      yield `${at} has \${${slot.name}}, ${instead(slot.name)}: all requests of a service can have a secret only`;
    if (slot.name === 'token' && at.startsWith('token.')) yield `${at} has \${token}, which is what it requests`;
    if (slot.name === 'refresh' && !at.startsWith('token.')) yield `${at} has \${refresh}, which only the request of a token has`;
  }
  if (needs.token !== (token !== undefined))
    yield token === undefined
      ? 'token is missing: how the token is requested that a text names'
      : 'token is requested, and no text has ${token}: write it where it belongs, such as headers: { authorization: "Bearer ${token}" }';
  if (token === undefined) return;
  if (sign !== undefined) yield 'it has token and sign; one of them says who sends a request';
  const [method, other] = (['get', 'post'] as const).filter((each) => token[each] !== undefined);
  if (method === undefined || other !== undefined) yield 'token must have one of get and post: where tokens are requested';
  if (token.body !== undefined && token.form !== undefined) yield 'token has a body and a form; a request has one body';
  if (method === 'get' && (token.body ?? token.form) !== undefined) yield 'token has get, which has no body; use query, or post';
  const names = namesIn(token);
  if (names.size === 0) yield 'token sends no secret: write ${key}, ${basic} or ${secret.name} where it belongs';
  if (names.has('refresh') !== (token.refresh !== undefined))
    yield token.refresh === undefined
      ? 'token.refresh is missing: the file with the refresh token'
      : "token.refresh is for '${refresh}', which is nowhere sent";
}

function instead(name: string): string {
  const near = nearestName(name, ['key', 'basic', 'token', 'secret.name', 'env.NAME']);
  return near === undefined ? 'and there is ${key}, ${basic}, ${token}, ${secret.name} and ${env.NAME}' : `did you mean \${${near}}?`;
}

/** What is wrong with the request that shows whether the key works. */
function accountFault({ account, operations }: Service): string | undefined {
  if (account === undefined) return undefined;
  const fault = nameFault('account.call', account.call, operations, 'its operations');
  if (fault !== undefined) return fault;
  const operation = operations[account.call]!;
  const [issue] = checkQuery(operation, account.with ?? {});
  if (issue !== undefined) return `account.with: ${issue.message}`;
  if (account.used !== undefined && account.left === undefined) return 'account.used needs left: where the response says how much there is';
  for (const field of ['left', 'used'] as const)
    if (account[field] !== undefined) {
      const missing = pathFault(`account.${field}`, account[field], operation.spec.response, 'response');
      if (missing !== undefined) return missing;
    }
  return undefined;
}

type Spec = ServiceSpec<{ readonly [name: string]: Operation }, { readonly [name: string]: FanOutSpec }>;

/** Loads a service from a JSON file, or from a module: its default export, or its only export that is a service. Errors name the file. */
export async function loadService(path: string): Promise<Service> {
  const file = resolve(path);
  const name = relative('.', file);
  let module: { readonly [name: string]: unknown };
  if (extname(file) === '.json') return fromJson(file, name);
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

/** Reads a service from JSON, which has each operation as `defineOperation` takes it. A fault has its line and column. */
async function fromJson(file: string, name: string): Promise<Service> {
  let source = '';
  let spec: Omit<Service, 'operations'> & { readonly operations?: { readonly [name: string]: OperationInput } };
  try {
    source = await process.getBuiltinModule('node:fs/promises').readFile(file, 'utf8');
    spec = JSON.parse(source) as typeof spec;
  } catch (error) {
    throw new Error(`${name} can't be read as JSON: ${jsonFault(error)}`, { cause: error });
  }
  const located = <T>(inside: readonly string[], define: () => T): T => {
    try {
      return define();
    } catch (error) {
      const message = jsonFault(error);
      const [, field, own] = /^define\w+\(.*?\): (?:there is no field '([^']*)'|(\w[^ ']*) )/.exec(message) ?? [];
      const at = [...inside, ...(own ?? field ?? '').split(/[.[\]]+/)].map((key) => (/^\d+$/.test(key) ? Number(key) : key));
      const where = jsonLocations(source)(at);
      throw new RangeError(`${name}${where === undefined ? '' : `:${where.line}:${where.column}`}: ${message}`, { cause: error });
    }
  };
  const operations = Object.entries(spec.operations ?? {}).map(
    ([each, input]) => [each, located(['operations', each], () => defineOperation({ name: each, ...input }))] as const,
  );
  const { $schema: _, ...rest } = spec as typeof spec & { readonly $schema?: unknown };
  return located([], () => defineService({ ...rest, operations: Object.fromEntries(operations) }));
}

function isService(value: unknown): value is Spec {
  return typeof value === 'object' && value !== null && 'operations' in value && typeof value.operations === 'object';
}
