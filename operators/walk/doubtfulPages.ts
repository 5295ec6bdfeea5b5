import type { PageLike } from '../PageLike.ts';
import type { Doubt } from './Doubt.ts';

const doubtful = new WeakMap<PageLike, Doubt | undefined>();

/**
 * Marks a page that contradicts the service's own numbers or the page before, so that it isn't stored. `doubt`: it is requested a
 * second time.
 */
export function markDoubtful(page: PageLike, doubt?: Doubt): void {
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
