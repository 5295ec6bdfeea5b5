import { TrawlerError } from './TrawlerError.ts';

/** A flow that can't be run as it is. */
export class FlowError extends TrawlerError {
  override readonly name: string = 'FlowError';
}
