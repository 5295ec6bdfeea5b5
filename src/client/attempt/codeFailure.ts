import type { ClientOptions } from '../ClientOptions.ts';
import type { Payload } from '../response/parseResponse.ts';
import { beginningOf } from '../response/printable.ts';
import { AuthError, EnvelopeError, RateLimitError } from '../../errors/index.ts';
import type { AttemptFailure } from './AttemptFailure.ts';

const kinds = { retry: 'busy', fail: 'final', auth: 'auth', throttle: 'throttled' } as const;
const errors = { auth: AuthError, throttle: RateLimitError, retry: EnvelopeError, fail: EnvelopeError };

/** Codes that mean the same as the HTTP status with that number. */
const statuses: NonNullable<ClientOptions['envelopeCodes']> = { 401: 'auth', 403: 'auth', 404: 'fail', 410: 'fail', 429: 'throttle' };

/** A response with HTTP 200 whose envelope has a code other than 200. */
export function codeFailure(response: Payload, known: NonNullable<ClientOptions['envelopeCodes']>): AttemptFailure {
  const verdict = known[Number(response.code)] ?? statuses[Number(response.code)];
  const said = typeof response.message === 'string' && response.message !== '' ? `; the service says ${beginningOf(response.message)}` : '';
  return {
    kind: verdict === undefined ? 'unknownCode' : kinds[verdict],
    error: verdict === undefined ? EnvelopeError : errors[verdict],
    what: `the response has code ${response.code}${said}`,
    advice: advice(verdict),
    details: { status: 200, code: response.code, requestId: response.requestId === '' ? undefined : response.requestId },
  };
}

function advice(verdict: keyof typeof kinds | undefined): string | undefined {
  if (verdict === undefined) return 'say with envelopeCodes whether such responses pass';
  if (verdict === 'auth') return 'check apiKey; this client sends nothing more';
  return verdict === 'throttle' ? 'lower rate or concurrency, or come back later' : undefined;
}
