import type { PageLike } from '../PageLike.ts';

/** Why a page seems to lack rows, so that it is requested a second time: a recheck. */
export type RecheckReason =
  /** The walk would end with fewer rows than the service claims. */
  | 'short'
  /** The walk would end on an empty page that lists further ones. */
  | 'listed'
  /** The first page has no rows, though the response estimates that there are some. */
  | 'estimate'
  /** The first page has no rows. */
  | 'empty'
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

/**
 * Why no store may keep a page: it contradicts the service's own numbers or the page before, and is rechecked for this reason, or isn't.
 */
export type Unreliable = RecheckReason | 'wrong';

const unreliable = new WeakMap<PageLike, Unreliable>();

/** Marks a page, so that no store keeps it. */
export function setUnreliable(page: PageLike, reason: Unreliable): void {
  unreliable.set(page, reason);
}

/** Whether a walk marked the page as unreliable. It does so while it delivers the page. */
export function isUnreliable(page: PageLike): boolean {
  return unreliable.has(page);
}

/** Whether an unreliable page is the last one after all if the service refuses its recheck. */
export function isLastIfRefused(page: PageLike): boolean {
  const reason = unreliable.get(page);
  return reason !== undefined && reason !== 'idle' && reason !== 'wrong';
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
