import { HttpError } from './HttpError.ts';

/** 429 until the attempts ran out, or a Retry-After longer than `retry.maxRetryAfterMs`. */
export class RateLimitError extends HttpError {
  override readonly name: string = 'RateLimitError';
}
