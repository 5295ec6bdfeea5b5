import type { PageLike } from '../PageLike.ts';

/** Why a page seems to lack rows. A page that is requested a second time for this reason is rechecked. */
export type RecheckReason =
  /** The walk would end with fewer rows than the service claims. */
  | 'short'
  /** The walk would end on an empty page that says that there are more. */
  | 'listed'
  /** The first page has no rows, though the response estimates that there are some. */
  | 'estimate'
  /** The first page has no rows. */
  | 'empty'
  /** The walk would end right after a full page. */
  | 'full'
  /** The page is empty or repeated, and leads on to others. */
  | 'idle';

/** A page that is requested a second time. */
export interface Recheck {
  readonly reason: RecheckReason;
  /** The digests of the rows that it had the first time (`rowMark`). They aren't emitted again. */
  readonly rows: readonly number[];
}

/**
 * Why no store may keep a page: it contradicts the service's own numbers or the page before. `wrong`: it isn't rechecked, or was already.
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

/** Whether the walk ends at this page if the service refuses to send it a second time. */
export function isLastIfRefused(page: PageLike): boolean {
  const reason = unreliable.get(page);
  return reason !== undefined && reason !== 'idle' && reason !== 'wrong';
}

/** The data of a page whose recheck was refused. */
const refusedData = Object.freeze({});

/**
 * A page without rows, to use if the service refused a recheck for good. With it the walk ends as it would have without the recheck.
 * undefined: the walk fails, because the page would have led on, or because the error isn't a refusal.
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
