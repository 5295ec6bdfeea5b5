import type { PageLike } from '../../../operators/PageLike.ts';
import { looksCut } from '../../../operators/walk/readPage.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { QueryEnded, RestartReason } from './events.ts';
import { ordersOf, type BegunQuery } from './Query.ts';
import type { Step } from './stepQuery.ts';

/** A query is left short after this many repeats in a row without a new row, or one per order if there are more orders. */
const minWalks = 3;
/** A walk that ended with fewer rows than are known says little, so this many of them count as one. */
const cutWalks = 3;

/** What the end of a walk says of the claim. `repeat`: the walk is repeated. */
interface WalkEnding extends Pick<QueryEnded, 'claim' | 'short'> {
  readonly repeat?: Omit<Extract<RestartReason, { reason: 'short' }>, 'reason'>;
}
export const nothingSaid: WalkEnding = {};

interface WalkEnd {
  /** How many rows the query had before this page, and how many new ones it brought, if the query is walked again. */
  readonly ids: { readonly known: number; readonly added: number } | undefined;
  /** Why it couldn't continue, if it ended because of that. */
  readonly lost: Error | undefined;
}

/** The result of a walk that ends with this page, when the number of rows is known. */
export function endOf(
  stage: FlowStage,
  query: BegunQuery,
  page: PageLike,
  { got: walked, claimed, end }: Step,
  { ids, lost }: WalkEnd,
): WalkEnding {
  if (end !== 'complete' || claimed === undefined) return nothingSaid;
  const { repeat } = query;
  const got = ids === undefined ? walked : ids.known + ids.added;
  const claim = [got, claimed] as const;
  // Claims are off by a few rows, but a full last page means that there is another.
  const tolerated = lost !== undefined || looksCut(stage.operation.spec, page.items.length) ? 0 : toleratedOf(stage, claimed);
  const isShort = claimed - got > tolerated;
  const because = lost === undefined ? {} : { because: lost.message };
  if (repeat === undefined || got >= claimed) return isShort ? { claim, short: { final: false, ...because } } : { claim };
  const more = ids?.added ?? 0;
  const idle = repeat.added + more > 0 ? 0 : repeat.idle + (walked < got ? 1 : cutWalks);
  const orders = ordersOf(stage, query.params).length;
  if (idle < cutWalks * Math.max(minWalks, orders)) return { repeat: { order: (repeat.order + 1) % orders, idle } };
  if (!isShort) return { claim };
  return { claim, short: { final: repeat.gained + more === 0, ...because } };
}

function toleratedOf({ tolerance }: FlowStage, claimed: number): number {
  return Math.max(tolerance.rows, claimed * tolerance.share);
}
