import type { PageLike } from '../PageLike.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { WalkState } from './WalkState.ts';

const refused = new WeakSet<PageLike>();

/**
 * What to take as the page, if it was requested a second time and refused for good: one without rows. The walk then ends as it would
 * have without the second request, because it had the page. undefined: the walk fails, because the page would have led on, or
 * because the error isn't a refusal.
 */
export function refusedLook({ name }: WalkedOperation, { query, second }: WalkState, error: unknown): PageLike | undefined {
  if (second === undefined || second.doubt === 'idle' || (error as { readonly kind?: unknown } | undefined)?.kind !== 'final')
    return undefined;
  const page: PageLike = { operation: name, query, data: {}, items: [] };
  refused.add(page);
  return page;
}

export function isRefusedLook(page: PageLike): boolean {
  return refused.has(page);
}
