import { textOfValue } from '../../kit/canonicalJson.ts';
import { ownValue } from '../../kit/ownValue.ts';
import type { PageLike, Token } from '../../PageLike.ts';
import { valueAt } from '../../kit/path.ts';
import type { Onward, WalkedPage, WalkStart } from './PagingKind.ts';

/** Whether a value may be a token: not null, false, 0 or empty. A text of blanks counts as empty. */
export function hasContent(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

export function isToken(value: unknown): value is Token {
  return typeof value === 'string' || typeof value === 'number' || (typeof value === 'object' && value !== null);
}

function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || (one !== undefined && other !== undefined && textOfValue(one) === textOfValue(other));
}

/** Whether a query with this token begins in the middle. */
export function isInside(token: unknown, first: Token | undefined): boolean {
  return token !== undefined && token !== '' && token !== first;
}

/** The first query of a walk by token: with `start`, else with the query's own token. `first`: the token of a first page. */
export function beginWith<Query extends object>(query: Query, param: string, start: Token | undefined, first?: Token): WalkStart<Query> {
  const begun = start === undefined ? query : withParam(query, param, start);
  const token = ownValue(begun, param);
  const partial = isInside(token, first);
  return { query: begun, partial, token: partial && isToken(token) ? token : undefined };
}

/**
 * Where a token leads. `param` is the parameter that takes it. A token that was used before leads nowhere, unless it is that of this page
 * (`stays`), or the service `repeats` tokens.
 */
export function followToken({ operation, state }: WalkedPage, param: string, value: unknown, repeats: boolean = false): Onward {
  const type = ownValue(operation.params, param)?.type;
  const cursor = asTaken(value, type);
  if (cursor === undefined) {
    const is = Array.isArray(value) ? 'array' : typeof value;
    const advice = is === 'boolean' ? 'name another path' : `give params.${param} the type ${is}`;
    return { kind: 'lost', message: `the token for the next page is of type ${is}, which ${param} doesn't take; ${advice}` };
  }
  if (typeof cursor === 'object' && !hasContent(cursor)) return { kind: 'end' };
  if (state.seen?.has(textOfValue(cursor)) !== true) return { kind: 'on', cursor };
  if (repeats || isSameValue(cursor, ownValue(state.query, param))) return { kind: 'stays', cursor };
  return { kind: 'lost', message: `the token for the next page was used before (${state.seen.size} so far), so the walk would never end` };
}

const takes: { readonly [type: string]: (token: Token) => Token | undefined } = {
  string: (token) => (typeof token === 'object' ? undefined : String(token)),
  strings: (token) => (Array.isArray(token) && token.every((one) => typeof one === 'string') ? token : undefined),
  integer: numberIn,
  number: numberIn,
  array: (token) => (Array.isArray(token) ? token : undefined),
  object: (token) => (typeof token === 'object' && !Array.isArray(token) ? token : undefined),
};

/** The token, converted to the type of its parameter. undefined: that is impossible. Without a type it stays as it is. */
function asTaken(token: unknown, type: string | undefined): Token | undefined {
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

/**
 * A number of rows or pages, also as text. undefined: the value isn't one, such as the -1 of a service that hasn't counted them.
 */
export function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}

/** A number of rows or pages: in the response, or in a header of it. */
export function countAt(page: Pick<PageLike, 'data' | 'headers'>, path: string | undefined): number | undefined {
  return path === undefined ? undefined : readCount(path.startsWith('header:') ? page.headers?.[path] : valueAt(page.data, path));
}

/** A field that is true or false, or a field whose presence means true. */
export type Flag = string | { readonly present: string };

/** Where a response says whether there are more pages. */
export interface Flags {
  /** True: there are more. False means the end. */
  readonly more?: Flag;
  /** True: it is the last page. */
  readonly done?: Flag;
}

export function pathOfFlag({ more, done }: Flags): string {
  const flag = more ?? done ?? '';
  return typeof flag === 'string' ? flag : flag.present;
}

/** Whether `data` says that there are more pages. undefined: it says nothing. */
export function saysMore(data: unknown, { more, done }: Flags): boolean | undefined {
  const isDone = isSet(data, done);
  return isSet(data, more) ?? (isDone === undefined ? undefined : !isDone);
}

function isSet(data: unknown, flag: Flag | undefined): boolean | undefined {
  if (flag === undefined) return undefined;
  const value = valueAt(data, typeof flag === 'string' ? flag : flag.present);
  if (value === true || value === 1 || value === 'true') return true;
  if (value === false || value === 0 || value === 'false') return false;
  return hasContent(value) || (typeof flag === 'string' ? undefined : false);
}

export function withParam<Query extends object>(query: Query, name: string, value: Token): Query {
  // A spread copy takes ten times as long to add a field, but Object.assign loses a field named __proto__.
  const assigns = name !== '__proto__' && !Object.hasOwn(query, '__proto__');
  return assigns ? Object.assign({}, query, { [name]: value }) : { ...query, [name]: value };
}
