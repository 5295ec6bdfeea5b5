import { TrawlerError, AuthError, EnvelopeError, HttpError, NetworkError, RateLimitError, TimeoutError } from '../../errors/index.ts';
import type { QueryFailure } from '../state/JournalRecord.ts';

const longest = 1000;

/** An error in the form that is recorded. */
export function failureOf(error: unknown): QueryFailure {
  const at = Date.now();
  if (!(error instanceof Error)) return { at, name: 'Error', message: String(error).slice(0, longest) };
  const base = { at, name: error.name, message: error.message.slice(0, longest) };
  if (!(error instanceof TrawlerError)) return base;
  const { status, code, requestId, attempts } = error;
  return { ...base, status, code, requestId, attempts };
}

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
