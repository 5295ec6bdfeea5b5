import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';

/** The query's parameter that a walk moves; empty for an operation of one page. */
export function walkParam(factory: WalkFactory, options: WalkOptions): string {
  const { paging } = factory;
  if (paging.kind === 'none') return '';
  if (paging.kind === 'cursor' && options.direction === 'previous' && paging.previous !== undefined) return paging.previous.param;
  return paging.param;
}
