import { TrawlerError } from './TrawlerError.ts';

/** HTTP 200, but the envelope's `code` isn't 200. */
export class EnvelopeError extends TrawlerError {
  override readonly name: string = 'EnvelopeError';
}
