import { ownValue } from '../../../operators/kit/ownValue.ts';
import { param as paramName, yes } from '../../../operators/options/fieldKinds.ts';
import { either, flag, oneOf, text } from '../../../operators/options/kinds.ts';
import { declareFields, type OptionSet } from '../../../operators/options/OptionSet.ts';
import type { ParamSpec, Rule } from '../Param.ts';
import { shown } from '../shown.ts';
import { formats } from './formats.ts';

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
export function brokenRule(rule: Rule, given: Given, params: Params): QueryIssue | undefined {
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
