import { printable } from '../answer/printable.ts';
import type { ErrorDetails, TrawlerError } from '../../errors/index.ts';
import type { FailureKind } from './retryRules.ts';

/** An attempt that brought no page: what to make of it, and all that its error needs. The error is made only when it is wanted. */
export interface AttemptFailure {
  readonly kind: FailureKind;
  readonly error: new (message: string, details: ErrorDetails) => TrawlerError;
  /** What happened, in a few words. */
  readonly what: string;
  /** What to do now. */
  readonly advice?: string | undefined;
  readonly details?: Pick<ErrorDetails, 'status' | 'code' | 'requestId' | 'retryAfterMs' | 'pausedUntil'>;
  /** The connection had been used before, and was closed just when the request was sent: nothing is wrong but the moment. */
  readonly stale?: boolean;
  /** An error of the connection. Only its words are handed on, for what else hangs on it may hold the request's headers. */
  readonly cause?: Error & { readonly code?: unknown };
}

const longestQuery = 200;

/** The error of a failure: what happened, to which operation and query, and what to do now; without the key. */
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

/** A query as messages show it. */
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

/** Makes an error that holds no frames: they would only show where a response was read, and a crawl may keep many errors. */
function withoutFrames<T extends Error>(make: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
