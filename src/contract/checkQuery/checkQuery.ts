import { memoizePer } from '../../../operators/kit/once.ts';
import { isObject, ownValue } from '../../../operators/kit/ownValue.ts';
import { isLongInteger } from '../../../operators/walk/paging/followToken.ts';
import { nearestName } from '../../../operators/check/nearestName.ts';
import { type Operation, shorten, shown } from '../Operation.ts';
import { formOf, rightValue } from './formats.ts';
import type { QueryIssue, ParamSpec } from '../Param.ts';
import { type RequestPart, planOf } from '../request.ts';
import { pagingRequestOf } from '../PagingRequest.ts';
import { batchSize } from '../queriesOf.ts';

interface ParamTest {
  readonly name: string;
  readonly required: boolean;
  readonly fits: (value: unknown) => boolean;
}

const none: readonly QueryIssue[] = [];

/**
 * Returns all problems of a query, or an empty list if it is valid. A parameter that is undefined counts as not given.
 * Costs less than a microsecond.
 */
export function checkQuery(operation: Operation, query: object): readonly QueryIssue[] {
  if (!isObject(query)) return [{ param: '', message: `the query of ${operation.name} must be an object, not ${shown(query)}` }];
  const { params, spec } = operation;
  const issues: QueryIssue[] = [];
  for (const { name, required, fits } of testsOf(operation)) {
    const value = ownValue(query, name);
    if (value === undefined ? required : !fits(value)) issues.push({ param: name, message: messageOf(operation, name, value) });
  }
  for (const name of Object.keys(query)) {
    if (!Object.hasOwn(params, name) && query[name] !== undefined && !writes(operation).includes(name))
      issues.push(unknown(operation, name));
  }
  for (const rule of spec.rules ?? []) {
    const issue = rule.broken(query);
    if (issue !== undefined) issues.push(issue);
  }
  return issues.length === 0 ? none : issues;
}

/** One test for each parameter, made when the operation is first called. */
const testsOf: (operation: Operation) => readonly ParamTest[] = memoizePer((operation) => {
  const undeclared = writes(operation).filter((name) => !Object.hasOwn(operation.params, name) && planOf(operation).partsOfName.has(name));
  return [...Object.entries(operation.params), ...undeclared.map((name) => [name, undefined] as const)].map(([name, param]) => {
    const test = param === undefined ? () => true : paramTest(param);
    const required = param?.required === true;
    if (standsIn(operation, name, 'path')) return { name, required, fits: (value) => !climbs(value) && test(value) };
    return { name, required, fits: standsIn(operation, name, 'headers') ? (value) => isHeader(value) && test(value) : test };
  });
});

/** The fields that a walk writes into the query of a later page. */
function writes({ spec: { paging } }: Operation): readonly string[] {
  return pagingRequestOf(paging).writes;
}

function standsIn(operation: Operation, name: string, part: RequestPart): boolean {
  return planOf(operation).partsOfName.get(name)?.has(part) === true;
}

/** Whether a value would change the rest of a path that it is a part of. */
function climbs(value: unknown): boolean {
  return value === '.' || value === '..';
}

/** Whether a value can be sent in a header. */
function isHeader(value: unknown): boolean {
  return [value].flat().every((one) => /^[\x20-\x7e]*$/.test(String(one)));
}

/** Says what is wrong with a value. */
function messageOf(operation: Operation, name: string, value: unknown): string {
  const param: ParamSpec = ownValue(operation.params, name) ?? { type: 'string' };
  if (value === undefined) return `${name} is required${param.about === undefined ? '' : `: ${param.about}`}`;
  if (climbs(value) && standsIn(operation, name, 'path')) return `${name} is part of a path and can't be ${shown(value)}`;
  if (standsIn(operation, name, 'headers') && !isHeader(value)) return `${name} is sent in a header and can't be ${shown(value)}`;
  const most = batchSize(param);
  if (Array.isArray(value) && value.length > most) {
    const share = `make a query for each of them; queries that differ only in ${name} share requests`;
    return `${name} takes up to ${most} values in one request, not ${value.length}: ${share}`;
  }
  if (typeof value !== 'string' || param.type !== 'string' || param.oneOf !== undefined || formOf(param) !== undefined)
    return `${name} must be ${rightValue(param)}, not ${shown(value)}`;
  if (value.trim() === '') return `${name} must not be empty${param.required === true ? '' : '; leave it out instead'}`;
  return `${name} holds half a surrogate pair, which can't be sent: ${shown(value)}`;
}

function unknown(operation: Operation, name: string): QueryIssue {
  const names = Object.keys(operation.params);
  const nearest = nearestName(name, names);
  const instead = nearest === undefined ? `it has ${names.join(', ')}` : `did you mean ${nearest}?`;
  return { param: shorten(name), message: `${shown(name)} is not a parameter of ${operation.name}; ${instead}` };
}

/** Makes a test for the values that a parameter may have. Nothing is coerced. */
function paramTest(param: ParamSpec): (value: unknown) => boolean {
  if (param.type === 'boolean') return (value) => typeof value === 'boolean';
  if (param.type === 'object') return (value) => isObject(value) && isJson(value);
  if (param.type === 'array') return (value) => Array.isArray(value) && isJson(value);
  if (param.type === 'number') {
    const { min = -Infinity, max = Infinity } = param;
    return (value) => (Number.isFinite(value) || isLongInteger(value)) && Number(value) >= min && Number(value) <= max;
  }
  if (param.type === 'integer') {
    const { min = -Infinity, max = Infinity, step = 1 } = param;
    return (value) =>
      (Number.isSafeInteger(value)
        ? (value as number) % step === 0
        : isLongInteger(value) && BigInt(value as string) % BigInt(step) === 0n) &&
      Number(value) >= min &&
      Number(value) <= max;
  }
  const test = textTest(param);
  const fits = (value: unknown): boolean => typeof value === 'string' && test(value);
  const most = batchSize(param);
  return param.type === 'strings' ? (value) => Array.isArray(value) && value.length > 0 && value.length <= most && value.every(fits) : fits;
}

function textTest(param: ParamSpec): (text: string) => boolean {
  if (param.oneOf === undefined) return formOf(param)?.test ?? isSendable;
  const values = new Set(param.oneOf);
  return (value) => values.has(value);
}

/** Whether a text can be sent: it isn't blank and has no half of a surrogate pair, which UTF-8 can't hold. */
function isSendable(text: string): boolean {
  return text.trim() !== '' && !/\p{Surrogate}/u.test(text);
}

const deepest = 64;

/** Whether JSON can hold all of a value. false for undefined, functions, dates and circular objects. */
function isJson(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > deepest) return false;
  if (Array.isArray(value)) return Array.from(value).every((one) => isJson(one, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every((one) => isJson(one, depth + 1));
}
