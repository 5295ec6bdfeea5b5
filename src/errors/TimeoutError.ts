import { TrawlerError } from './TrawlerError.ts';

/** No whole answer within `timeoutMs`, in each of the attempts. */
export class TimeoutError extends TrawlerError {
  override readonly name: string = 'TimeoutError';
}
