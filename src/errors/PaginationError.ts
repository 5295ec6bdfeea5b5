import { TrawlerError, type ErrorDetails } from './TrawlerError.ts';

/** A walk that can't go on: a token that repeats or circles, pages that bring nothing new, a token of a wrong type. */
export class PaginationError extends TrawlerError {
  override readonly name: string = 'PaginationError';
  declare readonly lastCursor?: string | number;

  constructor(message: string, details: ErrorDetails & { readonly lastCursor?: string | number | undefined } = {}) {
    super(message, details);
  }
}
