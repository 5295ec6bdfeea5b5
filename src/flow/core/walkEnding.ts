import type { PageLike } from '../../../operators/PageLike.ts';
import { claimOf, looksCut } from '../../../operators/walk/readPage.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { Crawl } from './decide.ts';
import type { QueryEnded, RestartReason } from './events.ts';
import { ordersOf, type BegunQuery } from './Query.ts';
import { walkOptionsOf, type Step } from './stepQuery.ts';

/** A query is left short after this many repeats in a row without a new row, or one per order if there are more orders. */
const minWalks = 3;
/** A walk that ended with fewer rows than are known says little, so this many of them count as one. */
const cutWalks = 3;

/** What the end of a walk says of the claim. `repeat`: the walk is repeated. */
interface WalkEnding extends Pick<QueryEnded, 'claim' | 'short'> {
  readonly repeat?: Omit<Extract<RestartReason, { reason: 'short' }>, 'reason'>;
}
const nothingSaid: WalkEnding = {};

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

/**
 * The end of a walk at rows that are known, when the number of rows is known: those that there were, and the new ones. `more`: new ones
 * on this page. The service also counts those that the stage leaves out.
 */
export function stopOf(crawl: Crawl, stage: FlowStage, query: BegunQuery, page: PageLike, more: number): WalkEnding {
  const before = rowsBefore(crawl, stage, query);
  const claimed = stage.identity === undefined ? undefined : claimOf(stage.operation.spec, query.walk, page, walkOptionsOf(stage, query));
  if (before === undefined || claimed === undefined) return nothingSaid;
  const got = Math.min(claimed, before + newSoFar(query) + more);
  const claim = [got, claimed] as const;
  return claimed - got > toleratedOf(stage, claimed) ? { claim, short: { final: false } } : { claim };
}

/**
 * How many of a query's earlier rows can be gone, by the numbers that the service claimed then and claims now. So rows that
 * a cut page hides aren't taken for gone.
 */
export function goneOf(crawl: Crawl, stage: FlowStage, query: BegunQuery, claimed: number, more: number): number | undefined {
  const before = rowsBefore(crawl, stage, query);
  return before === undefined ? undefined : Math.max(0, before + newSoFar(query) + more - claimed);
}

/** The new rows of the pages before. */
function newSoFar({ growth }: BegunQuery): number {
  return growth === undefined ? 0 : growth.added + growth.leftOut;
}

/** How many rows the query had at the end of the last run, by the service's own number. */
function rowsBefore({ earlier }: Crawl, stage: FlowStage, { params }: BegunQuery): number | undefined {
  return earlier?.watermarkOf(stage, params)?.rows;
}

function toleratedOf({ tolerance }: FlowStage, claimed: number): number {
  return Math.max(tolerance.rows, claimed * tolerance.share);
}
