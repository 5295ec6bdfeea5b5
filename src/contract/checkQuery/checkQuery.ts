import { ownValue } from '../../../operators/kit/ownValue.ts';
import { isLongInteger } from '../../../operators/walk/paging/followToken.ts';
import { nearestName } from '../../../operators/check/nearestName.ts';
import { isObject } from '../checkResponse/conforms.ts';
import { type Operation, shorten, shown } from '../Operation.ts';
import { rightValue, formats } from './formats.ts';
import type { ParamSpec, Rule } from '../Param.ts';
import { paramPart } from '../requestPath.ts';
import { pagingRequestOf } from '../PagingRequest.ts';
import { param as paramName, yes } from '../../../operators/options/fieldKinds.ts';
import { either, flag, oneOf, text } from '../../../operators/options/kinds.ts';
import { declareFields, type OptionSet } from '../../../operators/options/OptionSet.ts';

interface ParamTest {
  readonly name: string;
  readonly required: boolean;
  readonly fits: (value: unknown) => boolean;
}

const none: readonly QueryIssue[] = [];
const tests = new WeakMap<Operation, readonly ParamTest[]>();

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
    const issue = brokenRule(rule, query, params);
    if (issue !== undefined) issues.push(issue);
  }
  return issues.length === 0 ? none : issues;
}

/** One test for each parameter, made when the operation is first called. */
function testsOf(operation: Operation): readonly ParamTest[] {
  let known = tests.get(operation);
  if (known === undefined) {
    known = Object.entries(operation.params).map(([name, param]) => {
      const test = paramTest(param);
      const part = paramPart(operation.spec, name);
      const required = param.required === true && ownValue(operation.spec.fixed, name) === undefined;
      if (part === 'path') return { name, required, fits: (value) => !climbs(value) && test(value) };
      return { name, required, fits: part === 'header' ? (value) => isHeader(value) && test(value) : test };
    });
    tests.set(operation, known);
  }
  return known;
}

/** What a walk has written into the query of a later page. */
function writes({ spec: { paging } }: Operation): readonly string[] {
  return pagingRequestOf(paging).writes;
}

function isInPath({ spec }: Operation, name: string): boolean {
  return spec.path.includes(`{${name}}`);
}

/** As a part of a path, such a value would change other parts. */
function climbs(value: unknown): boolean {
  return value === '.' || value === '..';
}

/** Whether a value can be sent in a header. */
function isHeader(value: unknown): boolean {
  return [value].flat().every((one) => /^[\x20-\x7e]*$/.test(String(one)));
}

/** What is wrong with a value that isn't right. */
function messageOf(operation: Operation, name: string, value: unknown): string {
  const param = operation.params[name]!;
  if (value === undefined) return `${name} is required${param.about === undefined ? '' : `: ${param.about}`}`;
  if (climbs(value) && isInPath(operation, name)) return `${name} is part of a path and can't be ${shown(value)}`;
  if (paramPart(operation.spec, name) === 'header' && !isHeader(value)) return `${name} is sent in a header and can't be ${shown(value)}`;
  if (param.batch !== undefined && Array.isArray(value) && value.length > param.batch) {
    const share = `make a query for each of them; queries that differ only in ${name} share requests`;
    return `${name} takes up to ${param.batch} values in one request, not ${value.length}: ${share}`;
  }
  if (typeof value !== 'string' || param.type !== 'string' || param.oneOf !== undefined || param.format !== undefined)
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
  if (param.type === 'object') return (value) => isObject(value) && !Array.isArray(value) && isJson(value);
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
  const { batch = Infinity } = param;
  return param.type === 'strings'
    ? (value) => Array.isArray(value) && value.length > 0 && value.length <= batch && value.every(fits)
    : fits;
}

function textTest({ oneOf, several, format }: ParamSpec): (text: string) => boolean {
  if (oneOf === undefined) return format === undefined ? isSendable : formats[format].test;
  const values = new Set(oneOf);
  return several === true ? (list) => list.split(',').every((value) => values.has(value)) : (value) => values.has(value);
}

/** Neither blank nor with half a surrogate pair, which UTF-8 can't hold. */
function isSendable(text: string): boolean {
  return text.trim() !== '' && !/\p{Surrogate}/u.test(text);
}

const deepest = 64;

/** Whether JSON holds all of a value: nothing undefined, no function, no date, no circle. */
function isJson(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth > deepest) return false;
  if (Array.isArray(value)) return Array.from(value).every((one) => isJson(one, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every((one) => isJson(one, depth + 1));
}

/** A problem with one parameter of a query. */
export interface QueryIssue {
  readonly param: string;
  /** Names the parameter, the given value, and what is allowed. */
  readonly message: string;
}

/** A query whose values may still be of any type. */
interface Given {
  readonly [param: string]: unknown;
}
interface Params {
  readonly [name: string]: ParamSpec;
}

interface RuleKind<R> {
  /** Its description: what each field takes. */
  readonly fields: OptionSet;
  /** The rule as a sentence. */
  readonly text: (rule: R) => string;
  /** What is wrong. Values that are invalid by themselves are ignored. */
  readonly broken: (rule: R, given: Given, params: Params) => QueryIssue | undefined;
}

type RuleOf<K extends Rule['kind']> = Extract<Rule, { readonly kind: K }>;
const name = paramName().needed();

/** One entry per kind of rule. */
export const ruleKinds: { readonly [K in Rule['kind']]: RuleKind<RuleOf<K>> } = {
  countOf: {
    fields: declareFields<RuleOf<'countOf'>>()({ kind: oneOf('countOf').needed(), list: name, count: name }),
    text: ({ list, count }) => `${list} holds as many values as ${count} says`,
    broken({ list, count }, given, params) {
      const values = ownValue(given, list);
      const wanted = ownValue(given, count) ?? params[count]?.default;
      if (typeof values !== 'string' || typeof wanted !== 'number') return undefined;
      const held = values.split(',').length;
      if (held === wanted) return undefined;
      return {
        param: list,
        message: `${list} must hold as many values as ${count} says, which is ${wanted}; ${shown(values)} holds ${held}`,
      };
    },
  },
  later: {
    fields: declareFields<RuleOf<'later'>>()({ kind: oneOf('later').needed(), earlier: name, later: name, same: yes() }),
    text: ({ earlier, later, same }) => `${later} is ${same === true ? 'the same day as or ' : ''}a later day than ${earlier}`,
    broken({ earlier, later, same }, given, params) {
      const [from, to] = [ownValue(given, earlier), ownValue(given, later)];
      if (!isDay(from, params[earlier]) || !isDay(to, params[later])) return undefined;
      if (to > from || (same === true && to === from)) return undefined;
      return {
        param: later,
        message: `${later} must be ${same === true ? 'no earlier' : 'later'} than ${earlier} (${from}), not ${shown(to)}`,
      };
    },
  },
  atLeast: {
    fields: declareFields<RuleOf<'atLeast'>>()({ kind: oneOf('atLeast').needed(), low: name, high: name }),
    text: ({ low, high }) => `${high} is at least ${low}`,
    broken({ low, high }, given) {
      const [min, max] = [ownValue(given, low), ownValue(given, high)];
      if (!isNumber(min) || !isNumber(max) || Number(max) >= Number(min)) return undefined;
      return { param: high, message: `${high} must be at least ${low} (${min}), not ${shown(max)}` };
    },
  },
  needs: {
    fields: declareFields<RuleOf<'needs'>>()({ kind: oneOf('needs').needed(), param: name, is: either(text(), flag()), needs: name }),
    text: ({ param, is, needs }) => `${needs} is required with ${param}${is === undefined ? '' : ` ${JSON.stringify(is)}`}`,
    broken({ param, is, needs }, given) {
      const value = ownValue(given, param);
      if (value === undefined || (is !== undefined && value !== is) || ownValue(given, needs) !== undefined) return undefined;
      return { param: needs, message: `${needs} is required when ${param} is ${shown(value)}` };
    },
  },
};

/** How a query breaks a rule. undefined if it doesn't. */
function brokenRule(rule: Rule, given: Given, params: Params): QueryIssue | undefined {
  return kindOf(rule).broken(rule, given, params);
}

/** A rule as a sentence. */
export function ruleText(rule: Rule): string {
  return kindOf(rule).text(rule);
}

function kindOf(rule: Rule): RuleKind<Rule> {
  return ruleKinds[rule.kind] as RuleKind<Rule>;
}

function isDay(value: unknown, param: ParamSpec | undefined): value is string {
  return typeof value === 'string' && param?.format !== undefined && formats[param.format].test(value);
}

function isNumber(value: unknown): value is string {
  return typeof value === 'string' && formats.number.test(value);
}
