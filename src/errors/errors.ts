import { TrawlerError, type ErrorDetails } from './TrawlerError.ts';

/** A query that can't be right: an unknown parameter, a wrong type, an impossible date. Nothing was asked for. */
export class InvalidQueryError extends TrawlerError {
  override readonly name: string = 'InvalidQueryError';
}

/** The service answered with a status other than 200. */
export class HttpError extends TrawlerError {
  override readonly name: string = 'HttpError';
}

/** 401 or 403: the key is missing, wrong or not allowed. The client asks for nothing more with it. */
export class AuthError extends HttpError {
  override readonly name: string = 'AuthError';
}

/** 429 until the attempts ran out, or a Retry-After longer than `retry.maxRetryAfterMs`. */
export class RateLimitError extends HttpError {
  override readonly name: string = 'RateLimitError';
}

/** HTTP 200, but the envelope's `code` isn't 200. */
export class EnvelopeError extends TrawlerError {
  override readonly name: string = 'EnvelopeError';
}

/** An answer that can't be read: empty, not JSON, no envelope, or larger than the cap. */
export class PayloadError extends TrawlerError {
  override readonly name: string = 'PayloadError';
}

/** An answer that isn't shaped as documented; only with `validate: 'strict'`, or past the settable share. */
export class DriftError extends TrawlerError {
  override readonly name: string = 'DriftError';
}

/** No whole answer within `timeoutMs`, in each of the attempts. */
export class TimeoutError extends TrawlerError {
  override readonly name: string = 'TimeoutError';
}

/** The connection failed: name not found, refused, reset, closed, TLS, rubbish instead of HTTP. */
export class NetworkError extends TrawlerError {
  override readonly name: string = 'NetworkError';
}

/** A walk that can't go on: a token that repeats or circles, pages that bring nothing new, a token of a wrong type. */
export class PaginationError extends TrawlerError {
  override readonly name: string = 'PaginationError';
  declare readonly lastCursor?: string | number;

  constructor(message: string, details: ErrorDetails & { readonly lastCursor?: string | number | undefined } = {}) {
    super(message, details);
  }
}

/** `maxRequests` is used up; the request was not sent. */
export class BudgetError extends TrawlerError {
  override readonly name: string = 'BudgetError';
}

/** What a page handed out for a few minutes was too old, and asking for a new one did not help. Ask `query` again later. */
export class ExpiredError extends TrawlerError {
  override readonly name: string = 'ExpiredError';

  constructor(operation: string, query: object, cause: unknown) {
    super(`${operation}: what this query asks for has expired, and asking its source once more did not help; run the source again later`, {
      operation,
      query,
      cause,
    });
  }
}

/** A flow that can't be run as it is. */
export class FlowError extends TrawlerError {
  override readonly name: string = 'FlowError';
}

/** A file that can't be written, or must not be. */
export class SinkError extends TrawlerError {
  override readonly name: string = 'SinkError';
}

/** Another process writes there right now. */
export class BusyError extends SinkError {
  override readonly name: string = 'BusyError';
  /** That process isn't one of this machine, so only what it says of itself tells whether it is alive. */
  declare readonly elsewhere?: boolean;

  constructor(message: string, details: ErrorDetails & { readonly elsewhere?: boolean } = {}) {
    super(message, details);
  }
}

/** A store in replay mode doesn't hold the response to a query. */
export class StoreError extends TrawlerError {
  override readonly name: string = 'StoreError';
}
