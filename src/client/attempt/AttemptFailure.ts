import { printable } from '../response/printable.ts';
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
