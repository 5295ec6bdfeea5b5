import type { ParamSpec } from '../Param.ts';
import { formats } from './formats.ts';

/** A valid value of a parameter, in words that follow "must be". */
export function rightValue(param: ParamSpec): string {
  if (param.type === 'boolean') return 'true or false';
  if (param.type === 'integer') return wholeNumber(param);
  if (param.oneOf !== undefined) {
    const values = param.oneOf.map((value) => `"${value}"`).join(', ');
    if (param.several === true) return `one or more of ${values}, separated by commas`;
    return param.oneOf.length === 1 ? values : `one of ${values}`;
  }
  if (param.format !== undefined) return formats[param.format].right;
  return 'a text that is not empty';
}

function wholeNumber({ min, max, step }: ParamSpec): string {
  const kind = step === undefined ? 'a whole number' : `a multiple of ${step}`;
  if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
  if (min !== undefined) return `${kind}, ${min} or more`;
  return max === undefined ? kind : `${kind}, ${max} or less`;
}
