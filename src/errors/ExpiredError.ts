import { TrawlerError } from './TrawlerError.ts';

/** What a page handed out for a few minutes was too old, and asking for a new one did not help. Ask `query` again later. */
export class ExpiredError extends TrawlerError {
  override readonly name: string = 'ExpiredError';

  constructor(operation: string, query: object, cause: unknown) {
    super(`${operation}: what this query asks for has expired, and asking its source once more did not help; run the source again later`, {
      operation,
      query,
      cause,
    });
  }
}
