import { TrawlerError } from './TrawlerError.ts';

/** The service answered with a status other than 200. */
export class HttpError extends TrawlerError {
  override readonly name: string = 'HttpError';
}
