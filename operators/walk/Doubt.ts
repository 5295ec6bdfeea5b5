import type { PageLike } from '../PageLike.ts';

/** Why a page is suspect, so that it is requested a second time. */
export type Doubt =
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

/** The doubts that leave no trace if the page isn't requested a second time: nothing else says that rows may be missing. */
export const silentDoubts: ReadonlySet<Doubt> = new Set(['full', 'listed']);

/** What a page tells of a doubt: a second look is on its way, it was left out, or it showed that the doubt was right. */
export interface DoubtResult {
  readonly doubt: Doubt;
  readonly is: 'looked' | 'trusted' | 'right';
  /** Pages of the walk, this one included. */
  readonly pages: number;
}

const doubtful = new WeakMap<PageLike, Doubt | undefined>();

/**
 * Marks a page that contradicts the service's own numbers or the page before, so that it isn't stored. `doubt`: it is requested a
 * second time.
 */
export function setDoubtful(page: PageLike, doubt?: Doubt): void {
  doubtful.set(page, doubt);
}

/** Whether a walk marked the page as doubtful. It does so while it delivers the page. */
export function isDoubtful(page: PageLike): boolean {
  return doubtful.has(page);
}

/** Whether a doubtful page is the last one after all if the service refuses to send it a second time. */
export function standsIfRefused(page: PageLike): boolean {
  const doubt = doubtful.get(page);
  return doubt !== undefined && doubt !== 'idle';
}
