import { TrawlerError } from './TrawlerError.ts';

/** A query that can't be right: an unknown parameter, a wrong type, an impossible date. Nothing was asked for. */
export class InvalidQueryError extends TrawlerError {
  override readonly name: string = 'InvalidQueryError';
}
