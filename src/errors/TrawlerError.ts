/** Details of the request that failed. Each field is set only where it applies. */
export interface ErrorDetails {
  readonly operation?: string | undefined;
  readonly query?: object | undefined;
  /** The HTTP status. */
  readonly status?: number | undefined;
  /** The code in the body, if the service's envelope has one. */
  readonly code?: number | string | undefined;
  readonly requestId?: string | undefined;
  /** Requests sent for this call, including retries. */
  readonly attempts?: number | undefined;
  /** How long the service said to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The client sends nothing before this time, in milliseconds since 1970: the service asked for a pause longer than `maxRetryAfterMs`. */
  readonly pausedUntil?: number | undefined;
  /** Why nothing more may be spent, as a text: the limit of the ledger that is reached, or why the ledger can't be used. */
  readonly because?: string | undefined;
  /** When the next period of that limit begins, in milliseconds since 1970. */
  readonly until?: number | undefined;
  /** The kind of the last failed attempt. It decides about retries. */
  readonly kind?: FailureKind | undefined;
  readonly cause?: unknown;
}

/**
 * The base of every error that trawler throws: `catch (error) { if (error instanceof TrawlerError) … }`. It never holds the API key or
 * a URL.
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

  /** A plain object for logs: name, message and the fields, and the cause as a text. */
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

/** The message of a caught value: that of an Error, else the value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What follows from a kind of failure: for the call, for the client's quota of retries and its pace, and for a flow. */
interface FailureRule {
  /** How often a call retries after such a failure, within its total number of attempts. */
  readonly retries: number;
  /** Tokens that a retry takes from the client's quota of retries. */
  readonly cost: number;
  /**
   * What it says about the rate. `refused`: it is too high. `strained`: it may be too high, if there are several such failures. `served`:
   * nothing is wrong with it, if the service sent a response. `nothing`: it says nothing.
   */
  readonly pace: 'refused' | 'strained' | 'served' | 'nothing';
  /** It may pass. A flow tries the query once more after all others, and stops if too many queries in a row fail like this. */
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
  /** The quota is used up, so going slower doesn't help. If the service doesn't say for how long, the client sends nothing more. */
  quota: { retries: Infinity, cost: 0, pace: 'nothing', passes: true },
  /** The response isn't HTTP. */
  rubbish: { retries: 1, cost: 5, pace: 'served', passes: true },
  /** HTTP 200 with the code of a temporary status inside. */
  busyCode: { retries: 2, cost: 5, pace: 'served', passes: true },
  /** HTTP 200 with an unknown code inside. */
  unknownCode: { retries: 2, cost: 5, pace: 'served', passes: false },
  /** HTTP 200, but not JSON, or no envelope. */
  unreadable: { retries: 2, cost: 5, pace: 'served', passes: false },
  /** HTTP 200 with a web page. If nothing else has come before, the address is wrong. */
  website: { retries: 2, cost: 5, pace: 'served', passes: false },
  /** HTTP 200 without the list of rows. `whyNotAPage` decides. */
  noList: { retries: 1, cost: 5, pace: 'served', passes: false },
  /** A retry at once doesn't help, but a later one may: a rare status of 500 or more, or an invalid certificate. */
  away: { ...never, passes: true },
  /** The worker that sent it has died. The query itself may be the reason. */
  lost: { ...never, retries: 4 },
  /** The key is refused. The client sends nothing more. */
  auth: never,
  /** A limit of the ledger is reached. Nothing was sent. */
  budget: { ...never, pace: 'nothing' },
  final: never,
  /** The client was closed. */
  closed: never,
} as const satisfies { readonly [kind: string]: FailureRule };

export type FailureKind = keyof typeof failureKinds;
