import { TrawlerError } from './TrawlerError.ts';

/** A file that can't be written, or must not be. */
export class SinkError extends TrawlerError {
  override readonly name: string = 'SinkError';
}
