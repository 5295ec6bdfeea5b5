import { textOfValue } from '../../kit/canonicalJson.ts';

/** What leads to a page. A number, a list or an object where the parameter takes one. */
export type Token = string | number | readonly unknown[] | { readonly [key: string]: unknown };

/** Whether something is where a token may be: not null, false, 0 or empty. A text of blanks is empty, as a parameter can't have it. */
export function hasContent(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

export function isToken(value: unknown): value is Token {
  return typeof value === 'string' || typeof value === 'number' || (typeof value === 'object' && value !== null);
}

/** Whether two values of a query are the same. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || (one !== undefined && other !== undefined && textOfValue(one) === textOfValue(other));
}

const takes: { readonly [type: string]: (token: Token) => Token | undefined } = {
  string: (token) => (typeof token === 'object' ? undefined : String(token)),
  strings: (token) => (Array.isArray(token) && token.every((one) => typeof one === 'string') ? token : undefined),
  integer: numberIn,
  number: numberIn,
  array: (token) => (Array.isArray(token) ? token : undefined),
  object: (token) => (typeof token === 'object' && !Array.isArray(token) ? token : undefined),
};

/** The token as a parameter of this type takes it. undefined: it can't. Without a type it is taken as it is. */
export function asTaken(token: unknown, type: string | undefined): Token | undefined {
  if (!isToken(token)) return undefined;
  return type === undefined ? token : takes[type]?.(token);
}

/** An integer beyond what a number holds stays text, as responses have it. */
function numberIn(token: Token): Token | undefined {
  if (typeof token === 'object' || token === '') return undefined;
  if (isLongInteger(token)) return token;
  const number = Number(token);
  return Number.isFinite(number) ? number : undefined;
}

/** Whether a value is the text of an integer that a number would round. */
export function isLongInteger(value: unknown): boolean {
  return typeof value === 'string' && /^-?[1-9]\d{15,}$/.test(value) && !Number.isSafeInteger(Number(value));
}
