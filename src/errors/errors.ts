import { TrawlerError, type ErrorDetails } from './TrawlerError.ts';

/** An invalid query: an unknown parameter, a wrong type, an impossible date. No request was sent. */
export class InvalidQueryError extends TrawlerError {
  override readonly name: string = 'InvalidQueryError';
}

/** The service responded with a status other than 200. */
export class HttpError extends TrawlerError {
  override readonly name: string = 'HttpError';
}

/** 401 or 403: the key is missing, wrong or not allowed. The client sends no more requests with it. */
export class AuthError extends HttpError {
  override readonly name: string = 'AuthError';
}

/** 429 responses until the attempts ran out, or a Retry-After longer than `retry.maxRetryAfterMs`. */
export class RateLimitError extends HttpError {
  override readonly name: string = 'RateLimitError';
}

/** HTTP 200, but the envelope's `code` isn't 200. */
export class EnvelopeError extends TrawlerError {
  override readonly name: string = 'EnvelopeError';
}

/** A response that can't be read: empty, not JSON, no envelope, or larger than the cap. */
export class PayloadError extends TrawlerError {
  override readonly name: string = 'PayloadError';
}

/** A response that doesn't match the documented shape. Raised only with `validate: 'strict'`, or above the configured share. */
export class DriftError extends TrawlerError {
  override readonly name: string = 'DriftError';
}

/** No complete response within `timeoutMs`, in every attempt. */
export class TimeoutError extends TrawlerError {
  override readonly name: string = 'TimeoutError';
}

/** The connection failed: name not found, refused, reset, closed, TLS, or not valid HTTP. */
export class NetworkError extends TrawlerError {
  override readonly name: string = 'NetworkError';
}

/** A walk that can't continue: a repeated token, pages with nothing new, or a token of a wrong type. */
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

/** A value from a page that is valid for a few minutes was too old, and requesting a new one did not help. Request `query` again later. */
export class ExpiredError extends TrawlerError {
  override readonly name: string = 'ExpiredError';

  constructor(operation: string, query: object, cause: unknown) {
    super(
      `${operation}: what this query reads has expired, and repeating the query that gave it did not help; run that query again later`,
      {
        operation,
        query,
        cause,
      },
    );
  }
}

/** A flow that can't run as defined. */
export class FlowError extends TrawlerError {
  override readonly name: string = 'FlowError';
}

/** A file that can't or must not be written. */
export class SinkError extends TrawlerError {
  override readonly name: string = 'SinkError';
}

/** Another process is writing there. */
export class BusyError extends SinkError {
  override readonly name: string = 'BusyError';
  /** The process runs on another machine, so only its own records show whether it is alive. */
  declare readonly elsewhere?: boolean;

  constructor(message: string, details: ErrorDetails & { readonly elsewhere?: boolean } = {}) {
    super(message, details);
  }
}

/** A store in replay mode has no response for a query. */
export class StoreError extends TrawlerError {
  override readonly name: string = 'StoreError';
}
