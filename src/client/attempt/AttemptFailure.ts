import { printable } from '../response/printable.ts';
import type { ErrorDetails, TrawlerError } from '../../errors/index.ts';
import type { FailureKind } from './retryRules.ts';

/** An attempt that failed: its kind, and everything its error needs. The error is created only when needed. */
export interface AttemptFailure {
  readonly kind: FailureKind;
  readonly error: new (message: string, details: ErrorDetails) => TrawlerError;
  /** What happened, in a few words. */
  readonly what: string;
  /** What to do now. */
  readonly advice?: string | undefined;
  readonly details?: Pick<ErrorDetails, 'status' | 'code' | 'requestId' | 'retryAfterMs' | 'pausedUntil'>;
  /** The server closed an idle socket just as we wrote to it. */
  readonly stale?: boolean;
  /** An error of the connection. Only its text is passed on, because other properties may contain the request's headers. */
  readonly cause?: Error & { readonly code?: unknown };
}

const longestQuery = 200;

/** The error of a failure: what happened, to which operation and query, and what to do now. Never contains the key. */
export function failureError(
  failure: AttemptFailure,
  note: string,
  call: { readonly operation: string; readonly query: object; readonly attempts: number },
  redact: (text: string) => string,
): TrawlerError {
  const { error: FailureError, what, advice, details, cause } = failure;
  const message = `${call.operation} ${shownQuery(call.query)}: ${what}${note}${advice === undefined ? '' : `; ${advice}`}`;
  const given = { ...call, ...details, cause: cause === undefined ? undefined : plainCause(cause, redact) };
  return withoutFrames(() => new FailureError(redact(message), given));
}

export function shownQuery(query: object): string {
  const text = printable(JSON.stringify(query));
  return text.length > longestQuery ? `${text.slice(0, longestQuery)}…` : text;
}

function plainCause(cause: Error & { readonly code?: unknown }, redact: (text: string) => string): Error {
  const plain = new Error(redact(cause.message));
  plain.name = cause.name;
  plain.stack = `${plain.name}: ${plain.message}`;
  return typeof cause.code === 'string' ? Object.assign(plain, { code: cause.code }) : plain;
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
