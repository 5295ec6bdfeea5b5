import type { PageLike } from '../../../operators/PageLike.ts';
import { looksCut } from '../../../operators/walk/readPage.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { QueryEnded } from './events.ts';
import type { Step } from './stepQuery.ts';

/** What the end of a walk says of the claim. */
type WalkEnding = Pick<QueryEnded, 'claim' | 'short'>;
export const nothingSaid: WalkEnding = {};

interface WalkEnd {
  /** How many rows the query had before this page, and how many new ones it brought, if the query is walked again. */
  readonly ids: { readonly known: number; readonly added: number } | undefined;
  /** Why it couldn't continue, if it ended because of that. */
  readonly lost: Error | undefined;
}

/** The result of a walk that ends with this page, when the number of rows is known. */
export function endOf(stage: FlowStage, page: PageLike, { got: walked, claimed, end }: Step, { ids, lost }: WalkEnd): WalkEnding {
  if (end !== 'complete' || claimed === undefined) return nothingSaid;
  const got = ids === undefined ? walked : ids.known + ids.added;
  const claim = [got, claimed] as const;
  // Claims are off by a few rows, but a full last page means that there is another.
  const tolerated = lost !== undefined || looksCut(stage.operation.spec, page.items.length) ? 0 : toleratedOf(stage, claimed);
  const isShort = claimed - got > tolerated;
  const because = lost === undefined ? {} : { because: lost.message };
  return isShort ? { claim, short: because } : { claim };
}

function toleratedOf({ tolerance }: FlowStage, claimed: number): number {
  return Math.max(tolerance.rows, claimed * tolerance.share);
}
