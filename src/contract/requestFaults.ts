import { inWords } from '../../operators/check/nearestName.ts';
import { keyHeader, type KeySpec } from './KeySpec.ts';
import { bodyFormats } from './bodyFormats.ts';
import type { Operation, OperationInput } from './Operation.ts';
import { hasBody, paramPart, planOf } from './requestPath.ts';

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
