import {
  AuthError,
  EnvelopeError,
  HttpError,
  NetworkError,
  PaginationError,
  PayloadError,
  RateLimitError,
  TimeoutError,
  type ErrorDetails,
} from '../../errors/index.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import type { FailureKind } from './retryRules.ts';

type ErrorName =
  | 'AuthError'
  | 'EnvelopeError'
  | 'HttpError'
  | 'NetworkError'
  | 'PaginationError'
  | 'PayloadError'
  | 'RateLimitError'
  | 'TimeoutError';
const errors: { readonly [name in ErrorName]: AttemptFailure['error'] } = {
  AuthError,
  EnvelopeError,
  HttpError,
  NetworkError,
  PaginationError,
  PayloadError,
  RateLimitError,
  TimeoutError,
};

/** A failure as plain data, without the key, to send to another process. */
export interface PlainFailure {
  readonly kind: FailureKind;
  readonly error: ErrorName;
  readonly what: string;
  readonly advice?: string | undefined;
  readonly details?: Pick<ErrorDetails, 'status' | 'code' | 'requestId' | 'retryAfterMs'> | undefined;
  readonly stale?: boolean | undefined;
  readonly cause?: { readonly name: string; readonly message: string; readonly code?: string | undefined } | undefined;
}

export function toPlainFailure(failure: AttemptFailure, redact: (text: string) => string): PlainFailure {
  const { kind, error, what, advice, details, stale, cause } = failure;
  const name = Object.entries(errors).find(([, known]) => known === error)?.[0] as ErrorName | undefined;
  return {
    kind,
    error: name ?? 'NetworkError',
    what: redact(what),
    advice,
    details: details?.requestId === undefined ? details : { ...details, requestId: redact(details.requestId) },
    stale,
    cause: cause && {
      name: cause.name,
      message: redact(cause.message),
      code: typeof cause.code === 'string' ? cause.code : undefined,
    },
  };
}

export function fromPlainFailure({ kind, error, what, advice, details, stale, cause }: PlainFailure): AttemptFailure {
  const known =
    cause && Object.assign(new Error(cause.message), { name: cause.name, ...(cause.code === undefined ? {} : { code: cause.code }) });
  return {
    kind,
    error: errors[error] ?? NetworkError,
    what,
    advice,
    ...(details === undefined ? {} : { details }),
    ...(stale === undefined ? {} : { stale }),
    ...(known === undefined ? {} : { cause: known }),
  };
}
