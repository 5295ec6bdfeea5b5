import type { IncomingHttpHeaders } from 'node:http';
import type { EnvelopeSpec } from '../../contract/index.ts';
import { parseResponse, type Payload, type Unreadable } from '../response/parseResponse.ts';
import { beginningOf, printable } from '../response/printable.ts';
import type { FailureKind } from '../../errors/index.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import type { Refused } from './heedHeaders.ts';
import { parseRetryAfter } from './parseRetryAfter.ts';
import { codeOf, networkKind } from './networkKind.ts';
import type { FailurePolicy } from './failurePolicy.ts';
import type { DecodeFailure } from '../response/decodeBody.ts';

/** What the client knows when a response comes. */
interface StatusContext {
  readonly envelope: EnvelopeSpec | undefined;
  readonly policy: FailurePolicy;
  /** It has received a page before. @default false */
  readonly worked?: boolean;
  /** What its headers say about the limit. @default nothing */
  readonly refused?: Refused;
}

/** A response with a status other than 200. `body` is decoded. */
export function statusFailure(
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
  wall: number,
  { envelope, policy, worked = false, refused = { noneLeft: false } }: StatusContext,
): AttemptFailure {
  if (status === 204 || status === 205) {
    return {
      kind: 'final',
      error: 'PayloadError',
      what: `HTTP ${status}, a response without a body; that is not the same as no results`,
      details: { status },
    };
  }
  const retryAfterMs = parseRetryAfter(headers['retry-after'], headers.date, wall) ?? refused.waitMs;
  const means = policy.ofStatus(status);
  // GitHub refuses so what is beyond its limit, with a valid key.
  const kind = status === 403 && means === 'auth' && (retryAfterMs !== undefined || refused.noneLeft) ? 'throttled' : means;
  const response = parseResponse(body, envelope);
  const known = response.kind === 'payload' ? response : undefined;
  const said = typeof known?.message === 'string' && known.message !== '' ? known.message : body.toString('utf8', 0, 200);
  return {
    kind,
    error: errorsByKind[kind] ?? 'HttpError',
    what: `HTTP ${status}${meaning(status)}${said === '' ? '' : `; the service says ${beginningOf(said)}`}`,
    advice: statusAdvice(status, kind, worked),
    details: {
      status,
      code: known?.code,
      requestId: known?.requestId === '' ? undefined : known?.requestId,
      retryAfterMs,
    },
  };
}

function meaning(status: number): string {
  if (status === 304) return ', not modified, though the request had no condition';
  if (status >= 300 && status < 400) return ', a redirect; trawler refuses redirects because the key would go along';
  return status === 429 ? ', too many requests' : '';
}

function statusAdvice(status: number, kind: FailureKind, worked: boolean): string | undefined {
  if (kind === 'auth' || kind === 'throttled') return adviceOf[kind];
  const elsewhere = status === 404 || (status >= 300 && status < 400 && status !== 304);
  return !elsewhere || worked ? undefined : 'check baseUrl and pathPrefix';
}

/** Where the kind alone says which error it is. */
const errorsByKind: { readonly [kind in FailureKind]?: AttemptFailure['error'] } = { auth: 'AuthError', throttled: 'RateLimitError' };

/** A response with HTTP 200 whose body says that the request failed: by a code, or by an error alone. */
export function bodyFailure(response: Payload, policy: FailurePolicy): AttemptFailure {
  const kind = response.code === undefined ? 'final' : policy.ofCode(response.code);
  const said = typeof response.message === 'string' && response.message !== '' ? `; the service says ${beginningOf(response.message)}` : '';
  return {
    kind,
    error: errorsByKind[kind] ?? 'EnvelopeError',
    what: `the response has ${response.code === undefined ? 'an error' : `code ${response.code}`}${said}`,
    advice: adviceOf[kind],
    details: { status: 200, code: response.code, requestId: response.requestId === '' ? undefined : response.requestId },
  };
}

const sayWhatItMeans = 'say with retry.codes what it means';
const adviceOf: { readonly [kind in FailureKind]?: string } = {
  unknownCode: sayWhatItMeans,
  busyCode: sayWhatItMeans,
  auth: 'check apiKey; this client sends nothing more',
  throttled: 'lower rate or concurrency, or come back later',
};

const whats = {
  empty: 'HTTP 200 with an empty body; that is not the same as no results',
  notJson: 'the response is not JSON',
  noEnvelope: 'the response is JSON without the envelope that every response comes in',
  noData: 'the response has no data',
  tooDeep: 'the response nests too deeply',
  tooLarge: 'the response is larger than maxBodyBytes',
  corrupt: "the response can't be decompressed",
  unknownEncoding: 'the response has a content encoding that was not requested',
} as const;
const finals: ReadonlySet<string> = new Set(['empty', 'tooDeep', 'tooLarge']);

/** A response with HTTP 200 that can't be read. */
export function payloadFailure(fault: 'empty' | DecodeFailure | Unreadable['kind'], body: Buffer): AttemptFailure {
  if (fault === 'truncated')
    return { kind: 'network', error: 'NetworkError', what: 'the compressed response breaks off', details: { status: 200 } };
  const text = fault === 'notJson' || fault === 'noEnvelope' ? `; it begins with ${beginningOf(body.toString('utf8', 0, 200))}` : '';
  return {
    kind: finals.has(fault) ? 'final' : 'unreadable',
    error: 'PayloadError',
    what: whats[fault] + text,
    advice: fault === 'tooLarge' ? 'request fewer results, or raise maxBodyBytes' : undefined,
    details: { status: 200 },
  };
}

/** A failed connection. `status` is 0 if no response had begun. */
export function networkFailure(error: Error, status: number): AttemptFailure {
  const code = codeOf(error);
  // Once the response has begun, a wrong length means the body was cut off, like a reset. It doesn't mean invalid HTTP.
  const brokeOff = status !== 0 && code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  const kind = brokeOff ? 'network' : networkKind(code);
  const text = error.message === '' ? (code ?? error.name) : printable(error.message);
  const when = status === 0 ? '' : ' in the middle of the response';
  return {
    kind,
    error: 'NetworkError',
    what: `the connection failed${when}: ${code === undefined || text.includes(code) ? text : `${text} (${code})`}`,
    advice: kind === 'away' ? 'check baseUrl, its certificate and the dispatcher; trying again would not help' : undefined,
    details: { status: status === 0 ? undefined : status },
    cause: { name: error.name, message: error.message, code: ownCodeOf(error) },
  };
}

function ownCodeOf({ code }: Error & { readonly code?: unknown }): string | undefined {
  return typeof code === 'string' ? code : undefined;
}
