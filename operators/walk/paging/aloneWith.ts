import { param, yes } from '../../options/fieldKinds.ts';
import { either, listOf } from '../../options/kinds.ts';
import type { OptionKind } from '../../options/OptionKind.ts';

/** Whether a request with a token has no other parameters than those of the path: all others, or all but these. */
export type Alone = true | readonly string[];

/** What such a field takes. */
export const alone: OptionKind<Alone, undefined> = either(yes(), listOf(param()));

/** The parameters of a request with these tokens, if they stand alone. undefined: all that the query has. */
export function aloneWith(kept: Alone | undefined, tokens: readonly string[]): readonly string[] | undefined {
  if (kept === undefined || tokens.length === 0) return undefined;
  return kept === true ? tokens : [...tokens, ...kept];
}
