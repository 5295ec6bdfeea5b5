import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';

/** The query parameter that a walk changes. Empty for an operation with a single page. */
export function walkParam(factory: WalkFactory, options: WalkOptions): string {
  const { paging } = factory;
  if (paging.kind === 'none') return '';
  if (paging.kind === 'cursor' && options.direction === 'previous' && paging.previous !== undefined) return paging.previous.param;
  return paging.param;
}
