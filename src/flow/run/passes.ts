import { AuthError, EnvelopeError, HttpError, NetworkError, RateLimitError, TimeoutError } from '../../errors/index.ts';

const passing = new Set([408, 425, 429]);

/** Whether a failure may go away by itself. The query then waits for the next run. */
export function passes(error: unknown): boolean {
  if (error instanceof NetworkError) return error.code !== 'WORKER_LOST'; // the query itself may kill workers
  if (error instanceof TimeoutError || error instanceof RateLimitError) return true;
  if (error instanceof AuthError) return true;
  if (error instanceof HttpError) return error.status !== undefined && (error.status >= 500 || passing.has(error.status));
  return (
    error instanceof EnvelopeError && typeof error.code === 'number' && ((error.code >= 500 && error.code < 600) || passing.has(error.code))
  );
}
