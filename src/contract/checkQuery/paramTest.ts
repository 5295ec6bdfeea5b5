import type { ParamSpec } from '../Param.ts';
import { formats } from './formats.ts';

/** Makes a test for the values that a parameter may have. Nothing is coerced. */
export function paramTest(param: ParamSpec): (value: unknown) => boolean {
  if (param.type === 'boolean') return (value) => typeof value === 'boolean';
  if (param.type === 'integer') {
    const { min = -Infinity, max = Infinity, step = 1 } = param;
    return (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max && (value as number) % step === 0;
  }
  const test = textTest(param);
  return (value) => typeof value === 'string' && test(value);
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
