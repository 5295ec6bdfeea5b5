import { TrawlerError } from './TrawlerError.ts';

/** An answer that can't be read: empty, not JSON, no envelope, or larger than the cap. */
export class PayloadError extends TrawlerError {
  override readonly name: string = 'PayloadError';
}
