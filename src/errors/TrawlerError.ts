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
  /** Why nothing more may be spent, in words: which limit of the ledger is reached, or why it can't be used. */
  readonly because?: string | undefined;
  /** When that limit begins anew, in milliseconds since 1970. */
  readonly until?: number | undefined;
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
  declare readonly because?: string;
  declare readonly until?: number;
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

/** What a caught value says: the message of an Error, else the value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a kind of failure means to everyone who meets it: the call, the client's quota and pace, and a flow. */
interface FailureRule {
  /** How often one call retries after it, within its total attempts. */
  readonly retries: number;
  /** Tokens that a retry takes from the client's quota. */
  readonly cost: number;
  /**
   * What it says about the rate. `refused`: too fast. `strained`: perhaps too fast, if there are several. `served`: if the
   * service sent a response, it had time for one. `nothing`.
   */
  readonly pace: 'refused' | 'strained' | 'served' | 'nothing';
  /** It may be gone later. A flow tries the query once more after all others, and stops if too many fail in a row. */
  readonly passes: boolean;
}

const never = { retries: 0, cost: 0, pace: 'served', passes: false } as const;

/** Each kind of failed attempt, and what follows from it. */
export const failureKinds = {
  /** The connection failed. */
  network: { retries: Infinity, cost: 5, pace: 'strained', passes: true },
  timeout: { retries: Infinity, cost: 10, pace: 'strained', passes: true },
  /** A temporary status. */
  busy: { retries: Infinity, cost: 5, pace: 'strained', passes: true },
  /** The pace slows the whole client down, so a retry costs nothing. */
  throttled: { retries: Infinity, cost: 0, pace: 'refused', passes: true },
  /** Nothing is left for now, however slow the requests come. Without a time for the next one, the client sends nothing more. */
  quota: { retries: Infinity, cost: 0, pace: 'nothing', passes: true },
  /** The response isn't HTTP. */
  rubbish: { retries: 1, cost: 5, pace: 'served', passes: true },
  /** HTTP 200 with the code of a temporary status inside. */
  busyCode: { retries: 2, cost: 5, pace: 'served', passes: true },
  /** HTTP 200 with a code inside of which nothing is known. */
  unknownCode: { retries: 2, cost: 5, pace: 'served', passes: false },
  /** HTTP 200, but not JSON, or no envelope. */
  unreadable: { retries: 2, cost: 5, pace: 'served', passes: false },
  /** HTTP 200 with a web page. While nothing else has come, the address is wrong. */
  website: { retries: 2, cost: 5, pace: 'served', passes: false },
  /** HTTP 200 without the list of the rows: `whyNotAPage` says when. */
  noList: { retries: 1, cost: 5, pace: 'served', passes: false },
  /** Trying again at once won't help, but later may: a rare status of 500 or more, or a certificate that isn't valid. */
  away: { ...never, passes: true },
  /** The worker that sent it is gone. The query itself may end workers. */
  lost: { ...never, retries: 4 },
  /** The key is refused. The client sends nothing more. */
  auth: never,
  /** The ledger lets nothing more be spent. Nothing was sent. */
  budget: { ...never, pace: 'nothing' },
  final: never,
  /** Somebody has closed the client. */
  closed: never,
} as const satisfies { readonly [kind: string]: FailureRule };

export type FailureKind = keyof typeof failureKinds;
