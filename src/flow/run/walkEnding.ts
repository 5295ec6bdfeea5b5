import type { PageLike } from '../../../operators/PageLike.ts';
import { claimOf, looksCut } from '../../../operators/walk/readPage.ts';
import type { FlowStage } from '../definition/Flow.ts';
import { ordersOf, type StageQuery } from '../query/StageQuery.ts';
import { walkOptionsOf, type Step } from '../query/stepQuery.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import type { PageStep } from '../state/JournalRecord.ts';

/** A query is left short after this many repeats in a row without a new row, or one per order if there are more orders. */
const minWalks = 3;
/** A walk that ended with fewer rows than are known says little, so this many of them count as one. */
const cutWalks = 3;

/** What the end of a walk says of the claim. */
export type WalkEnding = Pick<PageStep, 'claim' | 'short' | 'because' | 'rewalk'>;
const nothingSaid: WalkEnding = {};

interface WalkEnd {
  /** The ids of the page's new rows, if the query is walked again. */
  readonly newIds: ReadonlySet<number> | undefined;
  /** Why it couldn't continue, if it ended because of that. */
  readonly lost: Error | undefined;
  readonly store: FlowStore;
}

/** The result of a walk that ends with this page, when the number of rows is known. */
export function endOf(
  stage: FlowStage,
  query: StageQuery,
  page: PageLike,
  { got: walked, claimed, end }: Step,
  { newIds, lost, store }: WalkEnd,
): WalkEnding {
  if (end !== 'complete' || claimed === undefined) return nothingSaid;
  const { rewalk } = query;
  const got = newIds === undefined ? walked : store.state.seen.idCount(query.number);
  const claim = [got, claimed] as const;
  // Claims are off by a few rows, but a full last page means that there is another.
  const tolerated = lost !== undefined || looksCut(stage.operation.spec, page.items.length) ? 0 : toleratedOf(stage, claimed);
  const isShort = claimed - got > tolerated;
  const because = lost === undefined ? {} : { because: lost.message };
  if (rewalk === undefined || got >= claimed) return isShort ? { claim, short: true, ...because } : { claim };
  const more = newIds?.size ?? 0;
  const idle = rewalk.added + more > 0 ? 0 : rewalk.idle + (walked < got ? 1 : cutWalks);
  const orders = ordersOf(stage, query.params).length;
  if (idle < cutWalks * Math.max(minWalks, orders)) return { rewalk: { order: (rewalk.order + 1) % orders, idle } };
  if (!isShort) return { claim };
  return { claim, short: rewalk.gained + more > 0 ? true : 'final', ...because };
}

/** The end of a walk at rows that are known, when the number of rows is known: those that there were, and the new ones. */
export function stopOf(stage: FlowStage, query: StageQuery, page: PageLike, store: FlowStore, added: number): WalkEnding {
  const before = rowsBefore(stage, query, store);
  const claimed = stage.identity === undefined ? undefined : claimOf(stage.operation.spec, query.walk, page, walkOptionsOf(stage, query));
  if (before === undefined || claimed === undefined) return nothingSaid;
  const got = Math.min(claimed, before + (query.growth?.added ?? 0) + added);
  const claim = [got, claimed] as const;
  return claimed - got > toleratedOf(stage, claimed) ? { claim, short: true } : { claim };
}

/**
 * How many of a query's earlier rows can be gone, by the numbers that the service claimed then and claims now. So rows that
 * a cut page hides aren't taken for gone.
 */
export function goneOf(stage: FlowStage, query: StageQuery, store: FlowStore, claimed: number, added: number): number | undefined {
  const before = rowsBefore(stage, query, store);
  return before === undefined ? undefined : Math.max(0, before + (query.growth?.added ?? 0) + added - claimed);
}

/** How many rows the query had at the end of the last run, by the service's own number. */
function rowsBefore(stage: FlowStage, { params }: StageQuery, store: FlowStore): number | undefined {
  return store.earlier?.watermarkOf(stage, params)?.rows;
}

function toleratedOf({ tolerance }: FlowStage, claimed: number): number {
  return Math.max(tolerance.rows, claimed * tolerance.share);
}
