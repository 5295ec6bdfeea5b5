import { TrawlerError } from './TrawlerError.ts';

/** A store in replay mode doesn't hold the response to a query. */
export class StoreError extends TrawlerError {
  override readonly name: string = 'StoreError';
}
