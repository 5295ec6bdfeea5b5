import { memoizePer } from '../../operators/kit/once.ts';
import { canonicalJson, textOfValue } from '../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../operators/kit/ownValue.ts';
import { isLongInteger } from '../../operators/walk/paging/followToken.ts';
import type { Operation, OperationSpec } from './Operation.ts';
import { asParam, pageValue } from './pagingOf.ts';
import { pagingRequestOf } from './PagingRequest.ts';
import { type Method, methods, type ParamSpec } from './Param.ts';
import type { TokenSpec } from './Service.ts';
import { isSecret, type SecretValues } from './secrets.ts';
import { type TimeText, writtenTime } from './timeText.ts';
import { filled, filledText, orAnyTime, partsOf, slotsOf, templateOf, type Slot, type Template, type ValueOf } from './template.ts';

/** The method of an operation, in capitals, and its path. */
export function routeOf(spec: { readonly [method in Method]?: string | undefined }): { readonly method: string; readonly path: string } {
  const method = methods.find((each) => spec[each] !== undefined) ?? 'get';
  return { method: method.toUpperCase(), path: spec[method] ?? '' };
}

/** A field of an address, of a form or of the headers. */
export interface RequestField {
  /** Its name in the request. */
  readonly wire: string;
  readonly template: Template;
}

/** The parts of a request that may have a slot. */
export type RequestPart = 'path' | 'query' | 'headers' | 'body' | 'form';

/** How the requests of an operation are made. */
interface RequestPlan {
  readonly method: string;
  readonly path: readonly (string | Slot)[];
  /** The path for later pages, if it differs. */
  readonly laterPath: readonly (string | Slot)[] | undefined;
  readonly query: readonly RequestField[];
  /** Headers that depend on the query. */
  readonly headers: readonly RequestField[];
  /** The fields with secrets. They are kept apart, so that stored or shown requests have none. */
  readonly secret: {
    readonly query: readonly RequestField[];
    readonly headers: readonly RequestField[];
    readonly inPath: Slot | undefined;
  };
  /** Headers that are the same for every request. */
  readonly constantHeaders: { readonly [name: string]: string };
  readonly form: readonly RequestField[] | undefined;
  readonly body: Template | undefined;
  /** The type of the body. undefined: there is none. */
  readonly bodyAs: 'json' | 'form' | undefined;
  /** The parts of the request that have each name. */
  readonly partsOfName: ReadonlyMap<string, ReadonlySet<RequestPart>>;
  /** The parameter whose value is the address of a page. */
  readonly address: string | undefined;
  /** Whether a request may have other parameters than its query: see `PagingRequest`. */
  readonly sendsOthers: boolean;
}

/** The plan of an operation. Made when the operation is first called. */
export const planOf: (operation: Operation) => RequestPlan = memoizePer(({ spec }) => planOfSpec(spec));

type Requested = Pick<OperationSpec, Method | 'query' | 'headers' | 'body' | 'form' | 'params' | 'paging'>;

export function planOfSpec(spec: Requested): RequestPlan {
  const { method, path } = routeOf(spec);
  const { address, sendsOthers, fromBody } = pagingRequestOf(spec.paging);
  const meant = (slot: Slot): Slot => asParam(spec.paging, slot);
  const fieldsOf = (part: object = {}): RequestField[] =>
    Object.entries(part).map(([wire, value]) => ({ wire, template: templateOf(value, meant) }));
  const isOpen = ({ template }: RequestField): boolean => !slotsOf(template).some(isSecret);
  const hasBody = method === 'POST';
  const [allQuery, allHeaders] = [fieldsOf(spec.query), fieldsOf(spec.headers)];
  // A field `q: '${q}'` is the same as the parameter q, so it keeps the order of the parameters.
  const isItself = ({ wire, template }: RequestField): boolean =>
    isPlain(wire, template) && Object.hasOwn(spec.params, wire) && !hasBody && address === undefined;
  const query = allQuery.filter((field) => isOpen(field) && !isItself(field));
  const constant = allHeaders.filter(({ template }) => template.kind === 'constant');
  const headers = allHeaders.filter((field) => isOpen(field) && field.template.kind !== 'constant');
  const form = spec.form && fieldsOf(spec.form);
  let body = spec.body === undefined ? undefined : templateOf(spec.body, meant);
  const laterPath = 'path' in spec.paging && spec.paging.path !== undefined ? partsOf(spec.paging.path, meant) : undefined;
  const parts = partsOf(path, meant);
  const partsOfName = new Map<string, Set<RequestPart>>();
  const put = (part: RequestPart, slots: readonly Slot[]): void => {
    for (const { name } of slots) partsOfName.set(name, (partsOfName.get(name) ?? new Set()).add(part));
  };
  put(
    'path',
    [...parts, ...(laterPath ?? [])].filter((part) => typeof part !== 'string'),
  );
  for (const [part, fields] of [
    ['query', query],
    ['headers', headers],
    ['form', form ?? []],
  ] as const)
    for (const { template } of fields) put(part, slotsOf(template));
  if (body !== undefined) put('body', slotsOf(body));
  // A parameter that no text mentions is sent under its own name: in the body, or in the address if there is no body.
  const rest = Object.keys(spec.params).filter((name) => name !== address && !partsOfName.has(name));
  const slots = rest.map((name): Slot => ({ name, as: undefined, isParam: true }));
  const own = slots.map((slot) => ({ wire: slot.name, template: { kind: 'slot', slot } as const }));
  const part = !hasBody || body?.kind === 'list' ? 'query' : form === undefined ? 'body' : 'form';
  put(part, slots);
  if (part !== 'body') (part === 'query' ? query : form!).push(...own);
  else if (own.length > 0) body = withFields(body, own);
  const merges = fromBody !== undefined && hasBody;
  return {
    method,
    path: parts,
    laterPath,
    query,
    headers,
    secret: {
      query: allQuery.filter((field) => !isOpen(field)),
      headers: allHeaders.filter((field) => !isOpen(field)),
      inPath: parts.find((part) => typeof part !== 'string' && isSecret(part)) as Slot | undefined,
    },
    constantHeaders: Object.fromEntries(constant.map(({ wire, template }) => [wire, (template as { value: string }).value])),
    form,
    body,
    bodyAs: form !== undefined ? 'form' : body !== undefined || merges ? 'json' : undefined,
    partsOfName,
    address,
    sendsOthers,
  };
}

/** Whether a field only sends the parameter of its own name, unchanged. */
function isPlain(field: string, template: Template): boolean {
  if (template.kind !== 'slot') return false;
  const { name, as, time, first, entry } = template.slot;
  return name === field && [as, time, first, entry].every((said) => said === undefined);
}

function withFields(body: Template | undefined, more: readonly RequestField[]): Template {
  const fields = more.map(({ wire, template }) => [wire, template] as const);
  if (body === undefined) return { kind: 'object', fields };
  const known =
    body.kind === 'object'
      ? body.fields
      : Object.entries((body as { value: object }).value).map(([field, value]) => [field, templateOf(value)] as const);
  return { kind: 'object', fields: [...known, ...fields] };
}

/** Whether the address of a request contains everything of its query. */
export function isAddressOnly(operation: Operation): boolean {
  const { bodyAs, headers } = planOf(operation);
  return bodyAs === undefined && headers.length === 0;
}

/**
 * The path of the request of a query, after that of the service, with its parameters, percent-encoded. Secrets are left out. Expects a
 * query that passes `checkQuery`. Unknown parameters are dropped.
 */
export function requestPath(operation: Operation, query: object): string {
  const plan = planOf(operation);
  const values = plan.sendsOthers ? sentValues(operation, query) : query;
  const valueOf = valueIn(operation.params, values);
  const parts = plan.laterPath !== undefined && pagingRequestOf(operation.spec.paging).isLater(query) ? plan.laterPath : plan.path;
  const path = filledText(
    parts,
    (slot) => (isSecret(slot) ? hidden : slot.time === undefined ? valueOf(slot) : new TimeInPath(valueOf(slot))),
    inPath,
  )!;
  let search = '';
  for (const field of plan.query) search += pairsOf(field, valueOf);
  if (plan.sendsOthers && plan.bodyAs === undefined) for (const field of undeclared(operation, query)) search += pairsOf(field, valueOf);
  return search === '' ? path : `${path}?${search.slice(1)}`;
}

/** Stands for a secret in a path that may be shown. As a symbol, it can't be confused with a value of a query. */
const hidden = Symbol('a secret');
const hiddenText = '[key]';

/** A time in a path. A pattern such as YYYY/MM/DD has slashes, which aren't encoded. */
class TimeInPath {
  readonly text: string;

  constructor(value: unknown) {
    this.text = encodeURIComponent(textOfValue(value)).replaceAll('%2F', '/');
  }
}

function inPath(value: unknown): string {
  if (value instanceof TimeInPath) return value.text;
  return value === hidden ? hiddenText : encodeURIComponent(textOfValue(value));
}

/** The path of a job, after that of the service, made from its id. */
export function jobPath(path: string, id: string): string {
  return filledText(partsOf(path), () => id, inPath)!;
}

/** The headers and parameters with secrets that each request of an operation gets. */
export interface SecretParts {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Parameters of the address, encoded: `api_key=…`. */
  readonly pairs: string;
}

export function secretParts(operation: Operation, secrets: SecretValues): SecretParts {
  const { secret } = planOf(operation);
  const valueOf = valueIn({}, {}, secrets);
  return {
    headers: secret.headers.flatMap(({ wire, template }) => {
      const value = filled(template, valueOf);
      return value === undefined ? [] : [wire, textOfValue(value)];
    }),
    pairs: secret.query
      .map((field) => pairsOf(field, valueOf))
      .join('')
      .slice(1),
  };
}

/** The path with its secrets, as it is sent. It is used for nothing else. */
export function sentPath(operation: Operation, path: string, { pairs }: SecretParts, secrets: SecretValues): string {
  const { inPath: slot } = planOf(operation).secret;
  const own = slot === undefined ? path : path.replace(hiddenText, () => encodeURIComponent(secrets[slot.name]!));
  return pairs === '' ? own : `${own}${own.includes('?') ? '&' : '?'}${pairs}`;
}

/** The address of the page that a query is for, if its operation pages by addresses. */
export function nextAddress(operation: Operation, query: object): string | undefined {
  const { address } = planOf(operation);
  const value = address === undefined ? undefined : ownValue(query, address);
  return typeof value === 'string' ? value : undefined;
}

/**
 * The values that are sent for a query: all of it, or only what `PagingRequest.sent` allows beside a token. Parameters for the next page
 * that came in a body replace those of the query.
 */
function sentValues(operation: Operation, query: object): object {
  const request = pagingRequestOf(operation.spec.paging);
  const sent = request.sent(query);
  const all = { ...query, ...request.members(query) };
  if (sent === undefined) return all;
  const { partsOfName } = planOf(operation);
  const stands = (name: string): boolean => sent.includes(name) || partsOfName.get(name)?.has('path') === true;
  return Object.fromEntries(Object.entries(all).filter(([name]) => stands(name)));
}

/** Parameters for the next page that came in a body and that no text mentions. Sent in the body, or in the address if there is none. */
function undeclared(operation: Operation, query: object): readonly RequestField[] {
  const members = pagingRequestOf(operation.spec.paging).members(query) ?? {};
  const { partsOfName } = planOf(operation);
  return Object.keys(members)
    .filter((name) => !partsOfName.has(name))
    .map((name) => ({ wire: name, template: { kind: 'slot', slot: { name, as: undefined, isParam: true } } }));
}

function valueIn(params: Operation['params'], values: object, secrets?: SecretValues): ValueOf {
  return (slot) => {
    if (slot.isPage === true) return pageValue(slot, values);
    const { name, as, time } = slot;
    if (time !== undefined) return timeOf(time, values);
    if (slot.isParam !== true && isSecret(slot)) return secrets?.[name];
    if (name.startsWith('env.')) return process.env[name.slice('env.'.length)];
    const value = sentFor(params, name, ownValue(values, name) ?? (as && usualOf(params, name, as)));
    return as === 'comma' && Array.isArray(value) ? value.map(textOfValue).join(',') : value;
  };
}

/** The value to send if the query has none: the part of the slot after the colon, if the parameter is a text or a number. */
function usualOf(params: Operation['params'], name: string, as: string): unknown {
  const type = ownValue(params, name)?.type;
  if (type === 'string') return as;
  return type === 'integer' || type === 'number' ? Number(as) : undefined;
}

/** The value to send for a value of a query, as `values` of the parameter says. */
function sentFor(params: Operation['params'], name: string, value: unknown): unknown {
  const values = Object.hasOwn(params, name) ? params[name]!.values : undefined;
  const sent = (one: unknown): unknown => ownValue(values, textOfValue(one)) ?? rewritten(values!, textOfValue(one)) ?? one;
  if (values === undefined || value === undefined) return value;
  return Array.isArray(value) ? value.map(sent) : sent(value);
}

type Values = NonNullable<ParamSpec['values']>;

/** What `{ '@*': '*' }` makes of a text: the star stands for all that follows. undefined: no such value fits. */
function rewritten(values: Values, text: string): string | undefined {
  for (const [from, to] of Object.entries(values))
    if (from.endsWith('*') && typeof to === 'string' && to.endsWith('*') && text.startsWith(from.slice(0, -1)))
      return to.slice(0, -1) + text.slice(from.length - 1);
  return undefined;
}

/** The value of a query for a value that was sent: the reverse of `sentFor`. */
export function givenFor({ values = {} }: ParamSpec, sent: unknown): unknown {
  const text = textOfValue(sent);
  const back = Object.fromEntries(
    Object.entries(values)
      .toReversed()
      .map(([from, to]) => [textOfValue(to), from]),
  ); // the first one counts
  return ownValue(back, text) ?? rewritten(back, text) ?? sent;
}

/** A time of the query or of the clock, written as its slot says. undefined: the query has none. */
function timeOf(time: TimeText, values: object): unknown {
  const given = ownValue(values, time.of);
  return writtenTime(time, given, { now: Date.now(), zone: 'UTC' }) ?? given;
}

/** A field for an address or a form, with `&` in front. A list is repeated for each of its values. */
function pairsOf({ wire, template }: RequestField, valueOf: ValueOf): string {
  const value = template.kind === 'slot' ? valueOf(template.slot) : filled(template, valueOf);
  if (value === undefined) return '';
  if (!Array.isArray(value)) return pairOf(wire, textOfValue(value));
  const name = template.kind === 'slot' && template.slot.as === 'brackets' ? `${wire}[]` : wire;
  return value.map((one) => pairOf(name, textOfValue(one))).join('');
}

function pairOf(wire: string, text: string): string {
  return `&${inForm(wire)}=${inForm(text)}`;
}

const plain = /^[\w.*-]*$/;
const differing = /%20|[!'()~]/g;

/** Encodes a text as `URLSearchParams` does, but faster. */
function inForm(text: string): string {
  if (plain.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(differing, (char) =>
    char === '%20' ? '+' : `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The body of a query as text. undefined if its request has none. */
export function requestBody(operation: Operation, query: object, secrets?: SecretValues): string | undefined {
  const { bodyAs, form = [], body } = planOf(operation);
  if (bodyAs === undefined) return undefined;
  const valueOf = valueIn(operation.params, sentValues(operation, query), secrets);
  const others = undeclared(operation, query);
  if (bodyAs === 'form')
    return [...form, ...others]
      .map((field) => pairsOf(field, valueOf))
      .join('')
      .slice(1);
  const typed: ValueOf = (slot) => {
    const value = valueOf(slot);
    return isLongInteger(value) && isNumber(operation, slot.name) ? `${bare}${value as string}${bare}` : value;
  };
  const own = body === undefined ? {} : filled(body, orAnyTime(typed));
  const more = others.map(({ wire, template }) => [wire, filled(template, typed)] as const);
  return JSON.stringify(more.length === 0 ? own : { ...(own as object), ...Object.fromEntries(more) }).replaceAll(bareNumber, '$1');
}

/** Marks digits that JSON shall have as a number, although JavaScript can't hold it. It is random, so no value of a query contains it. */
const bare = `\uFFFF${Math.random()}:`;
const bareNumber = new RegExp(`"${bare}(-?\\d+)${bare}"`, 'g');

function isNumber(operation: Operation, name: string): boolean {
  const type = operation.params[name]?.type;
  return type === 'integer' || type === 'number';
}

const none: readonly string[] = [];

/** The headers that depend on the query, as a flat list of names and values. */
export function requestHeaders(operation: Operation, query: object): readonly string[] {
  const { headers } = planOf(operation);
  if (headers.length === 0) return none;
  const valueOf = valueIn(operation.params, sentValues(operation, query));
  return headers.flatMap(({ wire, template }) => {
    const value = filled(template, valueOf);
    return value === undefined ? [] : [wire, Array.isArray(value) ? value.join(', ') : textOfValue(value)];
  });
}

/** A digest of what requests of an operation have besides their query. '' for a plain GET. Stored responses are found by it. */
export const requestDigest: (operation: Operation) => string = memoizePer(({ spec }) => {
  const { body, form } = spec;
  const { method, path } = routeOf(spec);
  const [query, headers] = [openFields(spec.paging, spec.query), openFields(spec.paging, spec.headers)];
  if (method === 'GET' && query === undefined && headers === undefined) return '';
  const { hash } = process.getBuiltinModule('node:crypto'); // few services need it, and loading it takes 3 ms
  return hash('sha256', canonicalJson([method, path, { query, headers, body, form }]), 'base64url').slice(0, 22);
});

/** The fields without secrets, and without parameters under their own names. undefined: there are none. */
function openFields(paging: OperationSpec['paging'], fields: object = {}): object | undefined {
  const isOpen = (field: string, value: unknown): boolean => {
    const template = templateOf(value, (slot) => asParam(paging, slot));
    return !isPlain(field, template) && !slotsOf(template).some(isSecret);
  };
  const open = Object.entries(fields).filter(([field, value]) => isOpen(field, value));
  return open.length === 0 ? undefined : Object.fromEntries(open);
}

/** A request for a token. */
export interface TokenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | undefined;
  /** The type of the body. */
  readonly type: string | undefined;
}

export const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

export function tokenRequest({ query = {}, headers = {}, body, form, ...route }: TokenSpec, url: URL, values: SecretValues): TokenRequest {
  const valueOf = valueIn({}, {}, values);
  const pairs = (fields: object): string =>
    Object.entries(fields)
      .map(([wire, value]) => pairsOf({ wire, template: templateOf(value) }, valueOf))
      .join('')
      .slice(1);
  const search = [url.search.slice(1), pairs(query)].filter((part) => part !== '').join('&');
  const given = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), filled(templateOf(text), valueOf)] as const);
  return {
    method: routeOf(route).method,
    path: search === '' ? url.pathname : `${url.pathname}?${search}`,
    headers: Object.fromEntries(given.filter(([, value]) => value !== undefined)) as { [name: string]: string },
    body: body !== undefined ? JSON.stringify(filled(templateOf(body), valueOf)) : form && pairs(form),
    type: body !== undefined ? contentTypes.json : form && contentTypes.form,
  };
}
