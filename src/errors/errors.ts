import { TrawlerError, type ErrorDetails } from './TrawlerError.ts';

/**
 * A wrong parameter name or value. Nothing was sent.
 *
 * What to do: correct it; the message names the nearest right one.
 */
export class InvalidQueryError extends TrawlerError {
  override readonly name: string = 'InvalidQueryError';
}

/**
 * A status other than 200. Temporary ones were retried.
 *
 * What to do: for 4xx, check the query. For 5xx, run again later.
 */
export class HttpError extends TrawlerError {
  override readonly name: string = 'HttpError';
}

/**
 * 401, or 403 before any page came, or ten 403 in a row. The client sends nothing more with this key.
 *
 * What to do: check the key and create a new client.
 */
export class AuthError extends HttpError {
  override readonly name: string = 'AuthError';
}

/**
 * 429 in every attempt, a pause longer than `retry.maxRetryAfterMs`, or a used-up quota.
 *
 * What to do: wait until `pausedUntil`, if it is set, then run again.
 */
export class RateLimitError extends HttpError {
  override readonly name: string = 'RateLimitError';
}

/**
 * HTTP 200 with an error inside: the `code` of the envelope is not the one for success, or there is an `error`.
 *
 * What to do: read the message. If it has a `code`, say in `failures` of the description, or in `retry.codes`, what it means.
 */
export class EnvelopeError extends TrawlerError {
  override readonly name: string = 'EnvelopeError';
}

/**
 * The body is empty, not JSON, has no envelope, or is too large.
 *
 * What to do: read the message; raise `maxBodyBytes` if it is too large.
 */
export class PayloadError extends TrawlerError {
  override readonly name: string = 'PayloadError';
}

/**
 * A response that isn't as documented, with `validate: 'strict'`, or most of the rows aren't.
 *
 * What to do: use `validate: 'report'` and read the `drift` events.
 */
export class DriftError extends TrawlerError {
  override readonly name: string = 'DriftError';
}

/**
 * No complete response within `timeoutMs`, in any attempt.
 *
 * What to do: raise `timeoutMs` or lower `concurrency`.
 */
export class TimeoutError extends TrawlerError {
  override readonly name: string = 'TimeoutError';
}

/**
 * DNS, connection or TLS failed, or the response is not valid HTTP.
 *
 * What to do: check `baseUrl` and the network; `cause` has the details.
 */
export class NetworkError extends TrawlerError {
  override readonly name: string = 'NetworkError';
}

/**
 * A repeated or invalid page token, or repeated pages.
 *
 * What to do: continue from `lastCursor`, or set `maxPages`.
 */
export class PaginationError extends TrawlerError {
  override readonly name: string = 'PaginationError';
  declare readonly lastCursor?: string | number | object;

  constructor(message: string, details: ErrorDetails & { readonly lastCursor?: string | number | object | undefined } = {}) {
    super(message, details);
  }
}

/**
 * `maxRequests` is used up, or a limit of the ledger is reached. `because` says which limit, and `until` for how long. The request was
 * not sent.
 *
 * What to do: raise the budget or the limit. A flow resumes with the same command.
 */
export class BudgetError extends TrawlerError {
  override readonly name: string = 'BudgetError';
}

/**
 * A value that is valid for minutes only, such as the address of an AI overview, had expired. The query that gave it was repeated once,
 * and the new value had expired too.
 *
 * What to do: run that query again later.
 */
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

/**
 * The flow is wrong. The message lists every fault and its location.
 *
 * What to do: correct the flow.
 */
export class FlowError extends TrawlerError {
  override readonly name: string = 'FlowError';
}

/**
 * A file can't be written, or must not be replaced.
 *
 * What to do: read the message. It says which rows are safe, and where.
 */
export class SinkError extends TrawlerError {
  override readonly name: string = 'SinkError';
}

/**
 * Another run uses the same folder or file.
 *
 * What to do: wait for it, or stop it.
 */
export class BusyError extends SinkError {
  override readonly name: string = 'BusyError';
  /** It can't be seen whether the process is alive: it is on another machine or in another container, or the system doesn't tell. */
  declare readonly unseen?: boolean;

  constructor(message: string, details: ErrorDetails & { readonly unseen?: boolean } = {}) {
    super(message, details);
  }
}

/**
 * A replay has no stored response to a query.
 *
 * What to do: record it first, with the same store in mode `'reuse'`.
 */
export class StoreError extends TrawlerError {
  override readonly name: string = 'StoreError';
}
