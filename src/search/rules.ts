import { ownValue } from '../../operators/kit/ownValue.ts';
import { formats } from '../contract/checkQuery/formats.ts';
import { shown } from '../contract/Operation.ts';
import type { Rule } from '../contract/Param.ts';
import { forms } from './forms.ts';

/** A list has as many comma-separated values as the parameter `count` says. `usual`: the default of `count`. */
export function asManyAs(list: string, count: string, usual: number): Rule {
  return {
    text: `${list} holds as many values as ${count} says`,
    params: [list, count],
    broken(query) {
      const values = ownValue(query, list);
      const wanted = ownValue(query, count) ?? usual;
      if (typeof values !== 'string' || typeof wanted !== 'number') return undefined;
      const held = values.split(',').length;
      if (held === wanted) return undefined;
      return {
        param: list,
        message: `${list} must hold as many values as ${count} says, which is ${wanted}; ${shown(values)} holds ${held}`,
      };
    },
  };
}

/** One day is later than another. `same`: it may be the same day. */
export function later(earlier: string, day: string, same: boolean = false): Rule {
  return {
    text: `${day} is ${same ? 'the same day as or ' : ''}a later day than ${earlier}`,
    params: [earlier, day],
    broken(query) {
      const [from, to] = [ownValue(query, earlier), ownValue(query, day)];
      if (!isDay(from) || !isDay(to) || to > from || (same && to === from)) return undefined;
      return { param: day, message: `${day} must be ${same ? 'no earlier' : 'later'} than ${earlier} (${from}), not ${shown(to)}` };
    },
  };
}

/** One number is at least as high as another. Both are numbers as text. */
export function atLeast(low: string, high: string): Rule {
  return {
    text: `${high} is at least ${low}`,
    params: [low, high],
    broken(query) {
      const [min, max] = [ownValue(query, low), ownValue(query, high)];
      if (!isNumber(min) || !isNumber(max) || Number(max) >= Number(min)) return undefined;
      return { param: high, message: `${high} must be at least ${low} (${min}), not ${shown(max)}` };
    },
  };
}

/** A parameter stands without some others. */
export function alone(param: string, ...others: readonly string[]): Rule {
  return {
    text: `${param} stands without ${others.join(' and ')}`,
    params: [param, ...others],
    broken(query) {
      const beside = ownValue(query, param) === undefined ? undefined : others.find((other) => ownValue(query, other) !== undefined);
      return beside === undefined ? undefined : { param: beside, message: `${beside} can't stand beside ${param}; leave one of them out` };
    },
  };
}

/** With a value of one parameter, another is required. */
export function needs(param: string, is: string, needed: string): Rule {
  return {
    text: `${needed} is required with ${param} ${JSON.stringify(is)}`,
    params: [param, needed],
    broken(query) {
      if (ownValue(query, param) !== is || ownValue(query, needed) !== undefined) return undefined;
      return { param: needed, message: `${needed} is required when ${param} is ${shown(is)}` };
    },
  };
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && (formats.date.test(value) || formats.compactDate.test(value));
}

function isNumber(value: unknown): value is string {
  return typeof value === 'string' && forms.number.test(value);
}
