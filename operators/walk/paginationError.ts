import type { WalkFactory } from './WalkFactory.ts';

/** The error of a walk that can't continue, created by its factory. */
export function paginationError(factory: WalkFactory, message: string, query: object, lastCursor: string | number | undefined): Error {
  const text = `${factory.name}: ${message}`;
  if (factory.paginationError !== undefined) return factory.paginationError(text, { query, lastCursor });
  return Object.assign(new Error(text), { name: 'PaginationError', operation: factory.name, query, lastCursor });
}
