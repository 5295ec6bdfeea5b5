import type { PageFactory } from '../PageFactory.ts';
import type { PageLike } from '../PageLike.ts';
import type { WalkFault } from './WalkStep.ts';

/** The error of a walk that can't continue, created by its factory. */
export function pageError(
  factory: Pick<PageFactory<never, PageLike>, 'name' | 'paginationError'>,
  { message, ...details }: WalkFault,
): Error {
  if (factory.paginationError !== undefined) return factory.paginationError(message, details);
  return Object.assign(new Error(message), { name: 'PaginationError', operation: factory.name, ...details });
}
