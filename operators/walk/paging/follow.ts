import { textOfValue } from '../../kit/canonicalJson.ts';
import { ownValue } from '../../kit/ownValue.ts';
import type { Onward, WalkedPage } from './PagingKind.ts';
import { asTaken, isSameValue, hasContent } from './Token.ts';

/**
 * Where a token leads that `param` takes. One that was used before leads nowhere, unless it is that of this very page, or the service
 * `repeats` tokens.
 */
export function follow({ operation, state }: WalkedPage, param: string, value: unknown, repeats: boolean = false): Onward {
  const type = ownValue(operation.params, param)?.type;
  const cursor = asTaken(value, type);
  if (cursor === undefined) {
    const is = Array.isArray(value) ? 'array' : typeof value;
    const advice = is === 'boolean' ? 'name another place' : `give params.${param} the type ${is}`;
    return { kind: 'lost', message: `the token for the next page is of type ${is}, which ${param} doesn't take; ${advice}` };
  }
  if (typeof cursor === 'object' && !hasContent(cursor)) return { kind: 'end' };
  if (state.seen?.has(textOfValue(cursor)) !== true) return { kind: 'on', cursor };
  if (repeats || isSameValue(cursor, ownValue(state.query, param))) return { kind: 'stays', cursor, expected: repeats };
  return { kind: 'lost', message: `the token for the next page was used before (${state.seen.size} so far), so the walk would never end` };
}
