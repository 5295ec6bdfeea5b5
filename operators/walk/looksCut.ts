import type { WalkFactory } from './WalkFactory.ts';

/**
 * Whether a last page of so many rows looks like one in the middle: full, since services page by tens, or empty where no
 * walk has to end so.
 */
export function looksCut({ paging }: WalkFactory, rows: number): boolean {
  const size = (paging.kind === 'cursor' ? paging.size : undefined) ?? 10;
  return rows % size === 0 && (rows > 0 || paging.kind === 'cursor');
}
