import { oncePer } from '../../operators/kit/once.ts';
import { canonicalJson, textOfValue } from '../../operators/kit/canonicalJson.ts';
import { isLongInteger } from '../../operators/walk/paging/followToken.ts';
import type { Operation, OperationInput } from './Operation.ts';
import { pairsOf, sentValue, sentValues, undeclared, planOf, hasBody, paramPart } from './requestPath.ts';
import { setAt } from './envelopeOf.ts';
import { inWords } from '../../operators/check/nearestName.ts';
import { keyHeader, type KeySpec } from './EnvelopeSpec.ts';
import { bodyFormats } from './Param.ts';

const none: readonly string[] = [];

/** The body of a query as text. undefined if its request has none. */
export function requestBody(operation: Operation, query: object): string | undefined {
  const { spec } = operation;
  const plan = planOf(operation);
  if (!plan.hasBody) return undefined;
  const params = [...plan.body, ...undeclared(operation, query)];
  if (params.length === 0 && spec.body === undefined) return undefined;
  const values = sentValues(operation, query);
  if (spec.bodyAs === 'form') {
    const pairs = new Map(Object.entries(spec.body ?? {}).map(([wire, value]) => [wire, pairsOf({ wire, style: 'repeat' }, value)]));
    for (const param of params) {
      const value = sentValue(param, values);
      if (value === undefined) continue;
      for (const wire of [param.wire, `${param.wire}[]`]) pairs.delete(wire);
      pairs.set(param.wire, pairsOf(param, value));
    }
    return [...pairs.values()].join('').slice(1);
  }
  const body = structuredClone(spec.body ?? {});
  for (const param of params) {
    const value = sentValue(param, values);
    if (value !== undefined)
      setAt(body, param.at, isNumber(operation, param.name) && isLongInteger(value) ? `${bare}${value as string}${bare}` : value);
  }
  return JSON.stringify(body).replaceAll(bareNumber, '$1');
}

/** Stands around digits that JSON has as a number, though JavaScript can't hold it. Not a character of Unicode, so in no other text. */
const bare = '\uFFFF';
const bareNumber = /"\uFFFF(-?\d+)\uFFFF"/g;

function isNumber(operation: Operation, name: string): boolean {
  const type = operation.params[name]?.type;
  return type === 'integer' || type === 'number';
}

/** The headers that a query's parameters give, as a flat list of names and values. */
export function requestHeaders(operation: Operation, query: object): readonly string[] {
  const { header } = planOf(operation);
  if (header.length === 0) return none;
  const values = sentValues(operation, query);
  return header.flatMap((param) => {
    const value = sentValue(param, values);
    return value === undefined ? [] : [param.wire, Array.isArray(value) ? value.join(', ') : textOfValue(value)];
  });
}

/** What its query doesn't say of a request, as a digest: method, fixed parameters, headers and body. '' for a plain GET. */
export const requestDigest: (operation: Operation) => string = oncePer(({ spec }) => {
  const { method = 'GET', path, body, bodyAs, fixed, headers } = spec;
  if (method === 'GET' && fixed === undefined && headers === undefined) return '';
  const { hash } = process.getBuiltinModule('node:crypto'); // few services need it, and loading it takes 3 ms
  return hash('sha256', canonicalJson([method, path, { body, bodyAs, fixed, headers }]), 'base64url').slice(0, 22);
});

const token = /^[!#$%&'*+.^_`|~\w-]+$/;
/** The connection sets these itself. */
const ours = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect'];

export function isHeaderName(name: unknown): boolean {
  return typeof name === 'string' && token.test(name) && !ours.includes(name.toLowerCase());
}

export function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' && /^[\x20-\x7e]*$/.test(value);
}

/** Why an operation's request can't be made, as words that follow the operation's name. undefined if it can. */
export function requestFault(spec: OperationInput): string | undefined {
  const { method = 'GET', bodyAs = 'json', format = 'json', list, job, body, params } = spec;
  if (bodyFormats[format].linesAreRows && list !== '' && list?.startsWith('[]') !== true)
    return `format is ${format}, whose lines are the rows, so list must be '', not ${inWords(list)}`;
  if (spec.conditional === true && method !== 'GET') return `conditional needs the method GET, not ${method}`;
  if (job?.status === 200 && job.until === undefined) return 'job.status is 200, so job needs until, which tells when it is done';
  if (body !== undefined && !hasBody(spec)) return `a ${method} has no body: body needs method POST, PUT or PATCH`;
  for (const [name, { at, in: given }] of Object.entries(params)) {
    const part = paramPart(spec, name);
    if (given !== undefined && given !== part) return `params.${name}.in is '${given}', but path names it: {${name}}`;
    if (part === 'path' && !spec.path.includes(`{${name}}`)) return `params.${name}.in is 'path', but path has no {${name}}`;
    if (part === 'body' && !hasBody(spec)) return `params.${name} is in the body, but a ${method} has none: use method POST, PUT or PATCH`;
    if (at !== undefined && part !== 'body') return `params.${name}.at is a path in the body, but the parameter is in the ${part}`;
    if (at !== undefined && bodyAs === 'form') return `params.${name}.at is a path in JSON, but the body is a form: use name`;
    const wire = spec.params[name]!.name ?? name;
    if (part === 'header' && !isHeaderName(wire)) return `params.${name} is sent as the header ${inWords(wire)}, which can't be set`;
  }
  return undefined;
}

/** What of a request would stand beside the key, or take its place. */
export function besideKeyFault(
  key: KeySpec | undefined,
  headers: object | undefined,
  operations: { readonly [name: string]: Operation },
): string | undefined {
  const header = keyHeader(key);
  const param = key !== undefined && 'param' in key ? key.param : undefined;
  if (header === undefined && param === undefined) return undefined;
  const isHeader = (name: string): boolean => name.toLowerCase() === header;
  const why = `is the ${header === undefined ? 'parameter' : 'header'} that the key has; leave it out`;
  const ofService = Object.keys(headers ?? {}).find(isHeader);
  if (ofService !== undefined) return `headers.${ofService} ${why}`;
  for (const [name, operation] of Object.entries(operations)) {
    const ofOperation = Object.keys(operation.spec.headers ?? {}).find(isHeader);
    if (ofOperation !== undefined) return `operations.${name}.headers.${ofOperation} ${why}`;
    const plan = planOf(operation);
    const beside = plan.header.find(({ wire }) => isHeader(wire)) ?? plan.query.find(({ wire }) => wire === param);
    if (beside === undefined) continue;
    return `operations.${name}.${Object.hasOwn(operation.params, beside.name) ? 'params' : 'fixed'}.${beside.name} ${why}`;
  }
  return undefined;
}
