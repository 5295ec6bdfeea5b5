import type { IncomingHttpHeaders } from 'node:http';
import type { EnvelopeSpec } from '../../contract/index.ts';
import { parseResponse } from '../response/parseResponse.ts';
import { beginningOf } from '../response/printable.ts';
import { AuthError, HttpError, PayloadError, RateLimitError } from '../../errors/index.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import { parseRetryAfter } from './parseRetryAfter.ts';
import { statusKind } from './retryRules.ts';

/** A response with a status other than 200. `body` is decoded. `worked`: the client has received a page before. */
export function statusFailure(
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
  wall: number,
  envelope: EnvelopeSpec | undefined,
  worked = false,
): AttemptFailure {
  if (status === 204 || status === 205) {
    return {
      kind: 'final',
      error: PayloadError,
      what: `HTTP ${status}, a response without a body; that is not the same as no results`,
      details: { status },
    };
  }
  const kind = statusKind(status);
  const response = parseResponse(body, envelope);
  const known = response.kind === 'payload' ? response : undefined;
  const said = typeof known?.message === 'string' && known.message !== '' ? known.message : body.toString('utf8', 0, 200);
  return {
    kind,
    error: kind === 'auth' ? AuthError : kind === 'throttled' ? RateLimitError : HttpError,
    what: `HTTP ${status}${meaning(status)}${said === '' ? '' : `; the service says ${beginningOf(said)}`}`,
    advice: advice(status, kind === 'auth', worked),
    details: {
      status,
      code: known?.code,
      requestId: known?.requestId === '' ? undefined : known?.requestId,
      retryAfterMs: parseRetryAfter(headers['retry-after'], headers.date, wall),
    },
  };
}

function meaning(status: number): string {
  if (status === 304) return ', not modified, though the request had no condition';
  if (status >= 300 && status < 400) return ', a redirect; trawler refuses redirects because the key would go along';
  return status === 429 ? ', too many requests' : '';
}

function advice(status: number, auth: boolean, worked: boolean): string | undefined {
  if (auth) return 'check apiKey; this client sends nothing more';
  const elsewhere = status === 404 || (status >= 300 && status < 400 && status !== 304);
  if (elsewhere) return worked ? undefined : 'check baseUrl and pathPrefix';
  return status === 429 ? 'lower rate or concurrency, or come back later' : undefined;
}
