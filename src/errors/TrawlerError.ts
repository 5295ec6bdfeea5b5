import type { FailureKind } from './failureKinds.ts';

/** Details of the request that failed. Each field is set only where it applies. */
export interface ErrorDetails {
  readonly operation?: string | undefined;
  readonly query?: object | undefined;
  /** The HTTP status. */
  readonly status?: number | undefined;
  /** The code in the body, where the service's envelope has one. */
  readonly code?: number | string | undefined;
  readonly requestId?: string | undefined;
  /** Requests sent for this call, including retries. */
  readonly attempts?: number | undefined;
  /** How long the service told us to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The client sends nothing before this time, in milliseconds since 1970: the service required a pause longer than `maxRetryAfterMs`. */
  readonly pausedUntil?: number | undefined;
  /** The kind of the last failed attempt, which says what follows from it. */
  readonly kind?: FailureKind | undefined;
  readonly cause?: unknown;
}

/**
 * The base of every error that trawler raises: `catch (error) { if (error instanceof TrawlerError) … }`.
 * It never holds the API key, nor a URL.
 */
export class TrawlerError extends Error {
  override readonly name: string = 'TrawlerError';
  declare readonly operation?: string;
  declare readonly query?: object;
  declare readonly status?: number;
  declare readonly code?: number | string;
  declare readonly requestId?: string;
  declare readonly attempts?: number;
  declare readonly retryAfterMs?: number;
  declare readonly pausedUntil?: number;
  declare readonly kind?: FailureKind;

  constructor(message: string, details: ErrorDetails = {}) {
    const { cause, ...fields } = details;
    super(message, cause === undefined ? undefined : { cause });
    for (const [field, value] of Object.entries(fields)) {
      if (value !== undefined) Object.defineProperty(this, field, { value, enumerable: true });
    }
  }

  /** A plain object for logs: name, message and the fields, with the cause as one line. */
  toJSON(): Record<string, unknown> {
    const { cause } = this;
    return {
      ...Object.fromEntries(Object.entries(this)),
      name: this.name,
      message: this.message,
      ...(cause === undefined ? {} : { cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : typeof cause }),
    };
  }
}
