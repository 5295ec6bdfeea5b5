import { madeIn } from '../kit/once.ts';
import type { PageLike, WalkEvent } from '../PageLike.ts';

/** Why a page is suspect, so that it is requested a second time: a recheck. */
export type RecheckReason =
  /** The walk would end with fewer rows than the service claims. */
  | 'short'
  /** The walk would end on an empty page that lists further ones. */
  | 'listed'
  /** The first page has no rows, though the response estimates that there are some. */
  | 'estimate'
  /** The first page has no rows, though an earlier run found some. */
  | 'emptied'
  /** The walk would end right after a full page. */
  | 'full'
  /** An empty or repeated page leads on to others. */
  | 'idle';

/** A page that is requested a second time. */
export interface Recheck {
  readonly reason: RecheckReason;
  /** Identifies the rows that it had, which aren't emitted again. */
  readonly rows: readonly number[];
}

/** The reasons that leave no trace if the page isn't rechecked: nothing else says that rows may be missing. */
export const silentReasons: ReadonlySet<RecheckReason> = new Set(['full', 'listed']);

/** What a page tells of rechecks: one is on its way, one was left out, or one found something. */
export interface RecheckResult {
  readonly reason: RecheckReason;
  readonly is: 'requested' | 'trusted' | 'useful';
  /** Pages of the walk, this one included. */
  readonly pages: number;
}

/** Rechecks that found nothing, in a row, after which most are left out. */
const firstPatience = 7;
/** The same once a recheck was useful: what happens to one page in ten is then missed in one of thirty such rows. */
const patienceOnceUseful = 32;
/**
 * Pages that are trusted between two rechecks, beyond the number of rechecks that found nothing. After `n` of them the next page is
 * wrong with a chance of 1 in `n + 2`, so that about one wrong page is trusted between two rechecks.
 */
const trustedMore = 5;
const trustedAtMost = 100;
/** Extra rechecks for unusually short walks, while they find nothing. 60 walks cost a dozen rechecks at most. */
const maxEarly = 2;
/** Queries that are named when a recheck turns out useful. */
const namedQueries = 100;

/** What is known of one reason. */
interface Trust {
  /** Rechecks that found nothing, in a row. One that is on its way counts. */
  foundNothing: number;
  /** Those of them that were made only because the end came early. */
  early: number;
  /** The fewest pages of a walk whose end was rechecked. */
  fewest: number;
  /** Pages since the last recheck. */
  since: number;
  patience: number;
  /** Queries whose pages were trusted for a silent reason. */
  readonly unreported: object[];
}

/**
 * Whether a suspect page of an operation is rechecked. A recheck that finds nothing is evidence: after a few in a row most are left
 * out, until one finds something.
 */
export class RecheckPolicy {
  private readonly trust = new Map<RecheckReason, Trust>();

  /** Whether to recheck a page. `pages`: those of the walk so far. */
  wants(reason: RecheckReason, pages: number): boolean {
    if (reason === 'emptied') return true; // a row that was there is gone only for sure
    const trust = this.trust.get(reason);
    return trust === undefined || isDue(trust) || (silentReasons.has(reason) && pages < trust.fewest && trust.early < maxEarly);
  }

  /** What to report once a recheck was useful: the pages that were trusted may lack rows too. */
  noticesOf({ reason, is }: RecheckResult, operation: string): readonly WalkEvent[] {
    if (is !== 'useful') return [];
    const message = 'it ended on a page like one that was not the last, and was not requested a second time';
    return (this.trust.get(reason)?.unreported ?? []).map((query) => ({ type: 'suspect', operation, query, message }));
  }

  /** Learns from a page. `query`: the one whose page it is. */
  learn({ reason, is, pages }: RecheckResult, query: object): void {
    const trust = madeIn(this.trust, reason, () => newTrust(firstPatience));
    switch (is) {
      case 'requested':
        if (!isDue(trust)) trust.early += 1;
        trust.foundNothing += 1;
        trust.since = 0;
        trust.fewest = Math.min(trust.fewest, pages);
        break;
      case 'trusted':
        trust.since += 1;
        if (silentReasons.has(reason) && trust.unreported.length < namedQueries) trust.unreported.push(query);
        break;
      case 'useful':
        this.trust.set(reason, newTrust(patienceOnceUseful));
    }
  }
}

function newTrust(patience: number): Trust {
  return { foundNothing: 0, early: 0, fewest: Infinity, since: 0, patience, unreported: [] };
}

function isDue({ foundNothing, since, patience }: Trust): boolean {
  return foundNothing < patience || since >= Math.min(foundNothing + trustedMore, trustedAtMost);
}

const policies = new WeakMap<object, RecheckPolicy>();

/** The policy for the pages of a factory. `of`: another factory that requests the same pages. */
export function recheckPolicyOf(factory: object, of?: object): RecheckPolicy {
  return madeIn(policies, factory, () => (of === undefined ? new RecheckPolicy() : recheckPolicyOf(of)));
}

const unreliable = new WeakMap<PageLike, RecheckReason | undefined>();

/**
 * Marks a page that contradicts the service's own numbers or the page before, so that no store keeps it. `reason`: it is rechecked.
 */
export function setUnreliable(page: PageLike, reason?: RecheckReason): void {
  unreliable.set(page, reason);
}

/** Whether a walk marked the page as unreliable. It does so while it delivers the page. */
export function isUnreliable(page: PageLike): boolean {
  return unreliable.has(page);
}

/** Whether an unreliable page is the last one after all if the service refuses its recheck. */
export function isLastIfRefused(page: PageLike): boolean {
  const reason = unreliable.get(page);
  return reason !== undefined && reason !== 'idle';
}

/** The data of a page whose recheck was refused. */
const refusedData = Object.freeze({});

/**
 * What to take as the page if its recheck was refused for good: one without rows. The walk then ends as it would have without the
 * recheck, because it had the page. undefined: the walk fails, because the page would have led on, or because the error isn't a refusal.
 */
export function refusedRecheck(
  { name }: { readonly name: string },
  { query, recheck }: { readonly query: object; readonly recheck?: Recheck | undefined },
  error: unknown,
): PageLike | undefined {
  if (recheck === undefined || recheck.reason === 'idle' || (error as { readonly kind?: unknown } | undefined)?.kind !== 'final')
    return undefined;
  return { operation: name, query, data: refusedData, items: [] };
}

export function isRefusedRecheck({ data }: PageLike): boolean {
  return data === refusedData;
}
