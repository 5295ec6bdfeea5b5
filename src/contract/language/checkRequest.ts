import { inWords, nearestName, firstOf } from '../../../operators/check/nearestName.ts';
import { bodyFormats, methods } from '../Param.ts';
import type { OperationSpec } from '../Operation.ts';
import { isPageSlot } from '../pagingOf.ts';
import { planOfSpec, routeOf } from '../request.ts';
import { isSecret } from '../secrets.ts';
import { namesIn, partsOf, type Slot } from '../template.ts';
import { timeParams } from '../timeParams.ts';
import { meansTime, textOfTime, timeFault } from '../timeText.ts';

const token = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Headers that the connection sets itself. */
const ours = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect'];

export function isHeaderName(name: unknown): boolean {
  return typeof name === 'string' && token.test(name) && !ours.includes(name.toLowerCase());
}

export function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' && /^[\x20-\x7e]*$/.test(value);
}

/** The words after a colon that say how a list is written. */
const listForms: readonly string[] = ['comma', 'brackets'];

/** Says why the request of an operation can't be made, in words that follow the operation's name. */
export function* requestFaults(spec: OperationSpec): Generator<string | undefined> {
  const { format = 'json', rows: list, job, body, form, params } = spec;
  const [method, other] = methods.filter((each) => spec[each] !== undefined);
  if (method === undefined) {
    yield "the request is missing: get: '/path', or post";
    return;
  }
  if (other !== undefined) yield `it has ${method} and ${other}; a request has one method`;
  for (const [where, slot] of slotsIn(spec)) {
    yield timeSlotFault(where, slot, params);
    if (isOwn(slot)) continue;
    yield nameFault(where, slot.name, params);
    yield formFault(where, slot, params[slot.name]!.type);
  }
  for (const part of partsOf(routeOf(spec).path)) {
    if (typeof part === 'string' && /[{}]/.test(part)) yield `${method} has ${inWords(part)}: the value of a parameter is \${name}`;
    if (typeof part !== 'string' && !isOwn(part) && params[part.name]?.required !== true)
      yield `${part.name} is in the path, so it must be required`;
  }
  if (bodyFormats[format].linesAreRows && list !== '' && list?.startsWith('[]') !== true)
    yield `format is ${format}, whose lines are the rows, so rows must be '', not ${inWords(list)}`;
  if (job?.get !== undefined && (job.at === undefined || [...namesIn(job.get)].join(', ') !== 'id'))
    yield 'job.get is made from an id: it has ${id} and no other name, and at says where in the body that is';
  if (body !== undefined && form !== undefined) yield 'it has a body and a form; a request has one body';
  if ((body ?? form) !== undefined && method === 'get')
    yield `a request with get has no body: ${body === undefined ? 'form' : 'body'} needs post`;
  if (spec.most !== undefined && !['from', 'to'].some((name) => Object.hasOwn(timeParams(spec), name)))
    yield 'most says how far ${from} and ${to} may be apart, and no text has them';
  for (const { wire } of planOfSpec(spec).headers) if (!isHeaderName(wire)) yield `headers has ${inWords(wire)}, which can't be set`;
}

/** Whether a slot isn't for a parameter, but for a secret, a time, an environment variable, or the way to a page. */
function isOwn(slot: Slot): boolean {
  return isSecret(slot) || slot.time !== undefined || slot.name.startsWith('env.') || isPageSlot(slot);
}

/** Each slot of a request, and where it is. */
function* slotsIn(spec: OperationSpec): Generator<readonly [where: string, slot: Slot]> {
  const later = 'path' in spec.paging ? spec.paging.path : undefined;
  const parts = { ...Object.fromEntries(methods.map((method) => [method, spec[method]])), nextPath: later };
  for (const [where, part] of Object.entries({ ...parts, query: spec.query, headers: spec.headers, body: spec.body, form: spec.form }))
    yield* slotsWithin(where, part);
}

export function* slotsWithin(where: string, part: unknown): Generator<readonly [where: string, slot: Slot]> {
  if (typeof part === 'string') {
    for (const slot of partsOf(part)) if (typeof slot !== 'string') yield [where, slot];
  } else if (Array.isArray(part)) {
    for (const [at, entry] of part.entries()) yield* slotsWithin(`${where}[${at}]`, entry);
  } else if (typeof part === 'object' && part !== null) {
    for (const [field, value] of Object.entries(part)) yield* slotsWithin(`${where}.${field}`, value);
  }
}

/** Says what is wrong with a time in a text, or with a name that is nearly one. */
function timeSlotFault(where: string, { name, as, time }: Slot, params: OperationSpec['params']): string | undefined {
  if (time === undefined) {
    const isMeant = !Object.hasOwn(params, name) && nearestName(name, Object.keys(params)) === undefined && meansTime(name);
    return isMeant ? `${where}: ${timeFault(as === undefined ? name : `${name}:${as}`)!}` : undefined;
  }
  if (Object.hasOwn(params, time.of))
    return (
      `${where} has \${${time.of}}, which is a time, so it isn't listed: leave params.${time.of} out, or give that parameter ` +
      `another name`
    );
  const fault = timeFault(textOfTime(time));
  return fault && `${where}: ${fault}`;
}

/** Says what is wrong with the part after a colon: how a list is written, or the value to send if the query has none. */
function formFault(where: string, { name, as }: Slot, type: string): string | undefined {
  if (as === undefined || type === 'string') return undefined;
  const is = `${where} has \${${name}:${as}}`;
  if (type === 'integer' || type === 'number')
    return Number.isFinite(Number(as)) ? undefined : `${is}; behind the colon stands the number that is sent where a query has none`;
  if (type !== 'strings') return `${is}, which is for texts, numbers and lists of texts, and ${name} is ${type}`;
  if (listForms.includes(as)) return undefined;
  return `${is}; a list is written with ${listForms.map((form) => `\${${name}:${form}}`).join(' or ')}`;
}

/** Says that there is nothing of this name, and what there is. undefined: there is. */
export function nameFault(where: string, name: string, params: object, what = 'its params'): string | undefined {
  return Object.hasOwn(params, name)
    ? undefined
    : `${where} names ${inWords(name)}, which is not one of ${what}; ${insteadOf(name, Object.keys(params))}`;
}

/** What to write in place of a name. */
export function insteadOf(name: string, names: readonly string[], before = ''): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? `there is ${firstOf(names.map((one) => before + one))}` : `did you mean ${before}${nearest}?`;
}
