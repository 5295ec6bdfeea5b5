import { printable, beginningOf } from '../response/printable.ts';
import {
  AuthError,
  EnvelopeError,
  HttpError,
  NetworkError,
  PaginationError,
  PayloadError,
  RateLimitError,
  TimeoutError,
  TrawlerError,
  type ErrorDetails,
  type FailureKind,
} from '../../errors/index.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { BodyFormat, Lack } from '../../contract/index.ts';
import type { Payload, Unreadable } from '../response/parseResponse.ts';
import { saidInBody } from '../response/errorIn.ts';
import type { Refused } from './heedHeaders.ts';
import { parseRetryAfter } from './parseRetryAfter.ts';
import type { FailurePolicy } from './failurePolicy.ts';
import type { DecodeFailure } from '../response/decodeBody.ts';

/** The errors of failed attempts, by name. */
export const attemptErrors = {
  AuthError,
  EnvelopeError,
  HttpError,
  NetworkError,
  PaginationError,
  PayloadError,
  RateLimitError,
  TimeoutError,
  TrawlerError,
};

/**
 * An attempt that failed: its kind, and everything its error needs. The error is created only when needed. It is plain data,
 * so that a worker can send it.
 */
export interface AttemptFailure {
  readonly kind: FailureKind;
  readonly error: keyof typeof attemptErrors;
  /** What happened, in a few words. */
  readonly what: string;
  /** What to do now. */
  readonly advice?: string | undefined;
  readonly details?: Pick<ErrorDetails, 'status' | 'code' | 'requestId' | 'retryAfterMs' | 'pausedUntil'> | undefined;
  /** The request was never made, for example because its key wasn't ready. It says nothing of the service and isn't counted. */
  readonly unsent?: boolean | undefined;
  /** Nothing of the request arrived, or the service refused it unread. */
  readonly unread?: boolean | undefined;
  /** The server closed an idle socket just as we wrote to it. */
  readonly stale?: boolean | undefined;
  /** The service refused a key that a retry renews. */
  readonly renewed?: boolean | undefined;
  /** An error of the connection. Only its text is kept, because other properties may contain the request's headers. */
  readonly cause?: { readonly name: string; readonly message: string; readonly code?: string | undefined } | undefined;
}

const maxQueryLength = 200;

/** The error of a failure: what happened, to which operation and query, and what to do now. Never contains the key. */
export function failureError(
  failure: AttemptFailure,
  note: string,
  call: { readonly operation: string; readonly query: object; readonly attempts: number },
  redact: (text: string) => string,
): TrawlerError {
  const { kind, error, what, advice, details, cause } = failure;
  const message = `${call.operation} ${shownQuery(call.query)}: ${what}${note}${advice === undefined ? '' : `; ${advice}`}`;
  const given = { ...call, ...details, kind, cause: cause && errorOf(cause, redact) };
  return withoutFrames(() => new attemptErrors[error](redact(message), given));
}

/** The failure without the key, to send to another process. */
export function redactedFailure(failure: AttemptFailure, redact: (text: string) => string): AttemptFailure {
  const { what, details, cause } = failure;
  const requestId = details?.requestId;
  return {
    ...failure,
    what: redact(what),
    details: requestId === undefined ? details : { ...details, requestId: redact(requestId) },
    cause: cause && { ...cause, message: redact(cause.message) },
  };
}

export function shownQuery(query: object): string {
  const text = printable(JSON.stringify(query));
  return text.length > maxQueryLength ? `${text.slice(0, maxQueryLength)}…` : text;
}

function errorOf({ name, message, code }: NonNullable<AttemptFailure['cause']>, redact: (text: string) => string): Error {
  const error = new Error(redact(message));
  error.name = name;
  error.stack = `${name}: ${error.message}`;
  return code === undefined ? error : Object.assign(error, { code });
}

/** Creates an error without a stack trace. The trace would only show where a response was read, and a crawl may keep many errors. */
function withoutFrames<T extends Error>(make: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The response to a conditional request that nothing has changed. */
export const unchanged: AttemptFailure = {
  kind: 'unchanged',
  error: 'HttpError',
  what: 'HTTP 304, not modified',
  details: { status: 304 },
};

/** What the client knows when a response comes. */
interface Context {
  readonly headers: IncomingHttpHeaders;
  readonly wall: number;
  readonly policy: FailurePolicy;
}

interface StatusContext extends Context {
  readonly status: number;
  /** Decoded. */
  readonly body: Buffer;
  /** The client has received a page before, or the address of this job. */
  readonly worked: boolean;
  /** What the headers say about the limit. */
  readonly refused: Refused;
}

/** A response with a status other than 200. `response`: what was read in its body. */
export function statusFailure(response: Payload | Unreadable, context: StatusContext): AttemptFailure {
  const { status, body, policy, worked, refused } = context;
  const known = response.kind === 'payload' ? response : undefined;
  if ((status === 204 || status === 205) && known?.verdict === undefined) {
    return {
      kind: 'final',
      error: 'PayloadError',
      what: `HTTP ${status}, a response without a body; that is not the same as no results`,
      advice: `if it means that there are no rows, say so: failures: [{ status: ${status}, means: 'empty' }]`,
      details: { status },
    };
  }
  const retryAfterMs = waitOf(known, context) ?? refused.waitMs;
  const means = policy.ofStatus(status);
  // GitHub refuses so what is beyond its limit, with a valid key.
  const usual = status === 403 && means === 'auth' && (retryAfterMs !== undefined || refused.noneLeft) ? 'throttled' : means;
  const kind = ruled(known) ?? usual;
  const said = typeof known?.message === 'string' && known.message !== '' ? known.message : saidInBody(body);
  return {
    kind,
    error: errorsByKind[kind] ?? 'HttpError',
    what: `HTTP ${status}${meaning(status)}${said === '' ? '' : `; the service says ${beginningOf(said)}`}`,
    advice: statusAdvice(status, kind, worked, retryAfterMs),
    details: {
      status,
      code: known?.code,
      requestId: known?.requestId === '' ? undefined : known?.requestId,
      retryAfterMs,
    },
  };
}

/** How long to wait, as the rule that fits says, else as Retry-After does. */
function waitOf(response: Payload | undefined, { headers, wall }: Context): number | undefined {
  const { waitMs = 0 } = response?.verdict ?? {};
  return waitMs > 0 ? waitMs : parseRetryAfter(headers['retry-after'], headers.date, wall);
}

/** The kind of failure that a rule says. A quota is an ordinary limit once its time is over. */
function ruled(response: Payload | undefined): FailureKind | undefined {
  const { means, waitMs = 1 } = response?.verdict ?? {};
  if (means === undefined || means === 'empty') return undefined;
  return means === 'quota' && waitMs <= 0 ? 'throttled' : means;
}

function meaning(status: number): string {
  if (status === 304) return ', not modified, though the request had no condition';
  if (status >= 300 && status < 400) return ', a redirect; trawler refuses redirects because the key would go along';
  return status === 429 ? ', too many requests' : '';
}

function statusAdvice(status: number, kind: FailureKind, worked: boolean, retryAfterMs: number | undefined): string | undefined {
  if (kind === 'auth' || kind === 'throttled' || kind === 'quota') return adviceOn(kind, retryAfterMs);
  const elsewhere = status === 404 || (status >= 300 && status < 400 && status !== 304);
  return !elsewhere || worked ? undefined : 'check baseUrl and pathPrefix';
}

/** Where the kind alone says which error it is. */
const errorsByKind: { readonly [kind in FailureKind]?: AttemptFailure['error'] } = {
  auth: 'AuthError',
  throttled: 'RateLimitError',
  quota: 'RateLimitError',
};

/** A response with HTTP 200 whose body says that the request failed: by a rule, a code, or an error alone. */
export function bodyFailure(response: Payload, context: Context): AttemptFailure {
  const { code, message, requestId } = response;
  const retryAfterMs = waitOf(response, context);
  const kind = ruled(response) ?? (code === undefined ? 'final' : context.policy.ofCode(code));
  const said = typeof message === 'string' && message !== '' ? `; the service says ${beginningOf(message)}` : '';
  return {
    kind,
    error: errorsByKind[kind] ?? 'EnvelopeError',
    what: `the response has ${code === undefined ? 'an error' : `code ${code}`}${said}`,
    advice: adviceOn(kind, retryAfterMs),
    details: { status: 200, code, requestId: requestId === '' ? undefined : requestId, retryAfterMs },
  };
}

function adviceOn(kind: FailureKind, retryAfterMs: number | undefined): string | undefined {
  return kind === 'quota' && retryAfterMs !== undefined ? undefined : adviceOf[kind];
}

const sayWhatItMeans = 'say with retry.codes what it means';
const adviceOf: { readonly [kind in FailureKind]?: string } = {
  unknownCode: sayWhatItMeans,
  busyCode: sayWhatItMeans,
  auth: 'check apiKey; this client sends nothing more',
  throttled: 'lower rate or concurrency, or come back later',
  quota: 'the service does not say when there is more, so this client sends nothing more; come back later',
};

const whats = {
  empty: 'HTTP 200 with an empty body; that is not the same as no results',
  noEnvelope: 'the response is JSON without the envelope that every response comes in',
  noData: 'the response has no data',
  tooDeep: 'the response nests too deeply',
  tooLarge: 'the response is larger than maxBodyBytes',
  corrupt: "the response can't be decompressed",
  unknownEncoding: 'the response has a content encoding that was not requested',
  needsNewerNode: 'the response is compressed with zstd, which Node reads from 22.15 on',
} as const;
const finals: ReadonlySet<string> = new Set(['empty', 'tooDeep', 'tooLarge', 'needsNewerNode']);

/** A response with HTTP 200 that has no list of rows. */
export function lackFailure({ what, advice }: Lack): AttemptFailure {
  return { kind: 'noList', error: 'PayloadError', what, advice, details: { status: 200 } };
}

/** A response with HTTP 200 that can't be read. */
export function payloadFailure(
  fault: 'empty' | DecodeFailure | Exclude<Unreadable['kind'], 'noList'>,
  body: Buffer,
  format: BodyFormat = 'json',
): AttemptFailure {
  if (fault === 'truncated')
    return { kind: 'network', error: 'NetworkError', what: 'the compressed response breaks off', details: { status: 200 } };
  const text = fault === 'notJson' || fault === 'noEnvelope' ? `; it begins with ${beginningOf(body.toString('utf8', 0, 200))}` : '';
  return {
    kind: finals.has(fault) ? 'final' : 'unreadable',
    error: 'PayloadError',
    what: (fault === 'notJson' ? `the response is not ${format.toUpperCase()}` : whats[fault]) + text,
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

/** No connection can be made as configured: the certificate, the address, the dispatcher. */
const misconfigured = /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|ERR_INVALID_URL|UND_MOCK_|UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|DESTROYED|CLOSED)$)/;
const certificateFaults = new Set(
  (
    'EPROTO DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN HOSTNAME_MISMATCH INVALID_CA INVALID_PURPOSE UNABLE_TO_GET_ISSUER_CERT ' +
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_DECRYPT_CERT_SIGNATURE PATH_LENGTH_EXCEEDED'
  ).split(' '),
);
const rubbish = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** What a connection error means, by its code. */
export function networkKind(code: string | undefined): FailureKind {
  if (code === undefined) return 'network';
  if (misconfigured.test(code) || certificateFaults.has(code)) return 'away';
  return code.startsWith('HPE_') || rubbish.has(code) ? 'rubbish' : 'network';
}

/** The code of a network error: its own, its cause's, or that of the first of several. */
export function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined;
  const { code, name, cause, errors } = error as { readonly [field: string]: unknown };
  if (typeof code === 'string') return code;
  if (name === 'HTTPParserError') return 'HPE_UNKNOWN'; // undici has no code for some of them
  return codeOf(cause, depth + 1) ?? (Array.isArray(errors) ? codeOf(errors[0], depth + 1) : undefined);
}
