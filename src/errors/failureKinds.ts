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
  /** It may be gone later. A flow tries the query again after all others, and stays open while nobody gets through. */
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
  /** HTTP 200 without the list of the rows: `lackOf` says when. */
  noList: { retries: 1, cost: 5, pace: 'served', passes: false },
  /** Trying again at once won't help, but later may: a rare status of 500 or more, or a certificate that isn't valid. */
  away: { ...never, passes: true },
  /** The worker that sent it is gone. The query itself may end workers. */
  lost: { ...never, retries: 4 },
  /** The key is refused. The client sends nothing more. */
  auth: never,
  final: never,
  /** Somebody has closed the client. */
  closed: never,
  /** A 304 to a conditional request: the stored response is taken. */
  unchanged: never,
} as const satisfies { readonly [kind: string]: FailureRule };

export type FailureKind = keyof typeof failureKinds;
