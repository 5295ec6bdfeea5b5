import { printable } from '../response/errorIn.ts';
import {
  AuthError,
  BudgetError,
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
import type { StoredResponse } from '../../contract/index.ts';
import type { RateLimitReport } from '../rate/Pace.ts';
import type { Payload } from '../response/parseResponse.ts';
import type { OperationPlan } from '../OperationPlan.ts';
import type { SpanRequest } from '../spans/SpanReader.ts';

/** The errors of failed attempts, by name. */
const attemptErrors = {
  AuthError,
  BudgetError,
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
  readonly details?: Pick<ErrorDetails, 'status' | 'code' | 'requestId' | 'retryAfterMs' | 'pausedUntil' | 'because' | 'until'> | undefined;
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
  const message = `${call.operation}${shownQuery(call.query)}: ${what}${note}${advice === undefined ? '' : `; ${advice}`}`;
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

/** A query behind the name of its operation. One without parameters is left out. */
export function shownQuery(query: object): string {
  const text = printable(JSON.stringify(query));
  if (text === '{}') return '';
  return ` ${text.length > maxQueryLength ? `${text.slice(0, maxQueryLength)}…` : text}`;
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

/** A response as it arrived, and the address that it came from. */
export interface RawResponse extends StoredResponse {
  readonly url: string;
}

/** Receives what happens to an attempt. Of `came` and `failed` exactly one is called, once, and none after `abort`. */
export interface AttemptOwner {
  /** The request is complete and goes out now. It may be aborted here. */
  sending(): void;
  /** The headers of a response state a limit. `came` or `failed` follows. */
  statedLimit(report: RateLimitReport): void;
  /**
   * The body of a good response is complete, but isn't read yet. True: another request took its place, so this body is
   * read only after the other responses that are here have been received.
   */
  arrived(): boolean;
  /**
   * A good response with data; `bytes` is the size of its body, decompressed. `raw`: the response as it arrived, if the request says
   * `keep`.
   */
  came(response: Payload, bytes: number, raw?: RawResponse): void;
  failed(failure: AttemptFailure): void;
}

/** What an attempt requests. */
export interface AttemptRequest extends SpanRequest {
  readonly plan?: OperationPlan | undefined;
  /** The response is wanted as it arrived, too. */
  readonly keep?: boolean | undefined;
  /** Its label, such as the stage of a flow. */
  readonly label: string | undefined;
  /** The path of the job whose response is wanted. undefined: nothing has started it. */
  readonly poll?: string | undefined;
  /** No response that another process got before will do. */
  readonly renews?: boolean | undefined;
  /** Counts the attempts of one call, from 1. */
  readonly number: number;
}

/** An attempt as the call sees it. The call doesn't know which process sends the request. */
export interface RunningAttempt {
  /** When the request started, on the client's clock. */
  readonly startedAt: number;
  send(): void;
  /** Cancels it. Its owner gets no result. Returns whether the request was sent. */
  abort(): boolean;
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
    advice: kind === 'away' ? awayAdvice : status === 0 && noServer.has(code) ? 'is baseUrl right?' : undefined,
    details: { status: status === 0 ? undefined : status },
    cause: { name: error.name, message: error.message, code: ownCodeOf(error) },
  };
}

function ownCodeOf({ code }: Error & { readonly code?: unknown }): string | undefined {
  return typeof code === 'string' ? code : undefined;
}

const awayAdvice = 'check baseUrl, its certificate and the dispatcher; trying again would not help';
/** Nothing listens at the address, or there is no such host. */
const noServer: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOTFOUND']);
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
