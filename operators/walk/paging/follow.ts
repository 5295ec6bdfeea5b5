import { textOfValue } from '../../kit/canonicalJson.ts';
import { ownValue } from '../../kit/ownValue.ts';
import type { Onward, WalkedPage, WalkStart } from './PagingKind.ts';
import { asTaken, isSameValue, isToken, hasContent, type Token } from './Token.ts';
import { param, yes } from '../../options/fieldKinds.ts';
import { either, listOf } from '../../options/kinds.ts';
import type { OptionKind } from '../../options/OptionSet.ts';
import { valueAt } from '../valueAt.ts';

/** Where a walk begins whose token `param` takes: with `start`, or with what the query has. `first`: the token of a first page. */
export function beginWith<Query extends object>(query: Query, param: string, start: Token | undefined, first?: Token): WalkStart<Query> {
  const begun = start === undefined ? query : withParam(query, param, start);
  const token = ownValue(begun, param);
  const partial = isInside(token, first);
  return { query: begun, partial, token: partial && isToken(token) ? token : undefined };
}

/** Whether a query with this token begins in the middle. */
export function isInside(token: unknown, first: Token | undefined): boolean {
  return token !== undefined && token !== '' && token !== first;
}

/**
 * Where a token leads that `param` takes. One that was used before leads nowhere, unless it is that of this very page, or the service
 * `repeats` tokens.
 */
export function follow({ operation, state }: WalkedPage, param: string, value: unknown, repeats: boolean = false): Onward {
  const type = ownValue(operation.params, param)?.type;
  const cursor = asTaken(value, type);
  if (cursor === undefined) {
    const is = Array.isArray(value) ? 'array' : typeof value;
    const advice = is === 'boolean' ? 'name another path' : `give params.${param} the type ${is}`;
    return { kind: 'lost', message: `the token for the next page is of type ${is}, which ${param} doesn't take; ${advice}` };
  }
  if (typeof cursor === 'object' && !hasContent(cursor)) return { kind: 'end' };
  if (state.seen?.has(textOfValue(cursor)) !== true) return { kind: 'on', cursor };
  if (repeats || isSameValue(cursor, ownValue(state.query, param))) return { kind: 'stays', cursor, expected: repeats };
  return { kind: 'lost', message: `the token for the next page was used before (${state.seen.size} so far), so the walk would never end` };
}

/** Whether a request with a token has no other parameters than those of the path: all others, or all but these. */
export type Alone = true | readonly string[];

/** What such a field takes. */
export const alone: OptionKind<Alone, undefined> = either(yes(), listOf(param()));

/** The parameters of a request with these tokens, if they stand alone. undefined: all that the query has. */
export function aloneWith(kept: Alone | undefined, tokens: readonly string[]): readonly string[] | undefined {
  if (kept === undefined || tokens.length === 0) return undefined;
  return kept === true ? tokens : [...tokens, ...kept];
}

/** Whether `data` says at `path` that there are more pages. undefined: it says nothing. */
export function saysMore(data: unknown, path: string | undefined): boolean | undefined {
  const value = path === undefined ? undefined : valueAt(data, path);
  if (value === true || value === 1 || value === 'true') return true;
  return value === false || value === 0 || value === 'false' ? false : undefined;
}

/** A copy of a query in which one parameter has another value. */
export function withParam<Query extends object>(query: Query, name: string, value: Token): Query {
  // A spread copy takes ten times as long to add a field, but Object.assign loses a field named __proto__.
  const assigns = name !== '__proto__' && !Object.hasOwn(query, '__proto__');
  return assigns ? Object.assign({}, query, { [name]: value }) : { ...query, [name]: value };
}
