/** A service with a limit, and a client that has more to request than the limit allows. */
export interface LimitWorld {
  /** Of all that is left to chance while it runs: how long each way takes. */
  readonly seed: number;
  readonly limit: LimitKind;
  /** From this time on it is so many times as high. */
  readonly change?: { readonly atMs: number; readonly factor: number } | undefined;
  /** What the headers of every response say of the limit. */
  readonly tells?: (typeof tellings)[number] | undefined;
  readonly refuses: (typeof refusals)[number];
  /** What a refusal says of the time to wait, besides. */
  readonly retryAfter?: (typeof retryAfters)[number] | undefined;
  /** The service's description names the limit. */
  readonly known?: boolean | undefined;
  readonly outage?: { readonly fromMs: number; readonly forMs: number; readonly as: 'reset' | 500 | 503 } | undefined;
  /** Every so many requests fail, whatever their number. */
  readonly failsEvery?: number | undefined;
  readonly latencyMs: number;
  readonly concurrency: number;
  readonly maxRequests?: number | undefined;
  readonly forMs: number;
}

export type LimitKind =
  /** So many in each window of the clock. A quota is one with a long window. */
  | { readonly kind: 'window' | 'quota'; readonly requests: number; readonly perMs: number }
  /** So many in any window, wherever it begins. */
  | { readonly kind: 'sliding'; readonly requests: number; readonly perMs: number }
  /** It fills evenly. */
  | { readonly kind: 'bucket'; readonly perSecond: number; readonly burst: number }
  /** Requests wait for their turn, and are refused when more than `burst` wait. */
  | { readonly kind: 'queue'; readonly perSecond: number; readonly burst: number }
  /** So many in flight, each of which takes so long. */
  | { readonly kind: 'inFlight'; readonly most: number; readonly takesMs: number };

/** How services write what is left and until when. The last ones are wrong. */
export const tellings = [
  'seconds',
  'epoch',
  'epochMs',
  'after',
  'draft',
  'oldDraft',
  'hyphen',
  'iso',
  'duration',
  'own',
  'remainingOnly',
  'interval',
  'policy',
  'alwaysFull',
  'alwaysEmpty',
] as const;

export const refusals = ['429', '403', '403 by a rule', '503', '200 with an error', 'quota by a rule'] as const;
export const retryAfters = ['seconds', 'fraction', 'date', 'zero', 'rubbish'] as const;
