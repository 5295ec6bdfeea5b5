import { TrawlerError } from './TrawlerError.ts';

/** `maxRequests` is used up; the request was not sent. */
export class BudgetError extends TrawlerError {
  override readonly name: string = 'BudgetError';
}
