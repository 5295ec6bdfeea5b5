import { like, number, oneOf, declareOptions } from '../../operators/options/index.ts';

export type SandboxRateLimit = (
  | {
      /** A token bucket, which refills continuously. */
      readonly kind: 'bucket';
      readonly perSecond: number;
      /** Its capacity. @default perSecond */
      readonly burst?: number | undefined;
    }
  | {
      /** A count that starts over every `perMs`. */
      readonly kind: 'window';
      readonly requests: number;
      readonly perMs: number;
    }
) & {
  /** Send Retry-After: in seconds, or as a date. @default false */
  readonly retryAfter?: boolean | 'date' | undefined;
};

const positive = like<number>('a positive number', (value) => Number.isFinite(value) && (value as number) > 0).needed();
const shared = {
  retryAfter: like<boolean | 'date'>("true, false or 'date'", (value) => typeof value === 'boolean' || value === 'date'),
} as const;
const bucketOptions = declareOptions<Extract<SandboxRateLimit, { kind: 'bucket' }>>()({
  ...shared,
  kind: oneOf('bucket').needed(),
  perSecond: positive,
  burst: number({ from: 1 }),
});
const windowOptions = declareOptions<Extract<SandboxRateLimit, { kind: 'window' }>>()({
  ...shared,
  kind: oneOf('window').needed(),
  requests: positive,
  perMs: positive,
});

/** Returns 0 if the request is admitted, and counts it. Otherwise the milliseconds until the next one is admitted. */
type RateLimit = (now: number) => number;

export function rateLimit(options: SandboxRateLimit): RateLimit {
  if (options.kind === 'bucket') {
    const { perSecond, burst = Math.max(1, perSecond) } = bucketOptions.read('startSandbox', options, 'rateLimit.');
    return bucket(perSecond / 1000, burst);
  }
  const { requests, perMs } = windowOptions.read('startSandbox', options, 'rateLimit.');
  return rateWindow(requests, perMs);
}

function bucket(perMs: number, burst: number): RateLimit {
  let tokens = burst;
  let last: number | undefined;
  return (now) => {
    tokens = Math.min(burst, tokens + (now - (last ?? now)) * perMs);
    last = now;
    if (tokens < 1 - 1e-9) return (1 - tokens) / perMs; // a sum of fractions may be slightly below 1
    tokens--;
    return 0;
  };
}

/** A limit per time window. The first request opens the first window. */
function rateWindow(requests: number, perMs: number): RateLimit {
  let opened: number | undefined;
  let taken = 0;
  return (now) => {
    opened ??= now;
    const windows = Math.floor((now - opened) / perMs);
    if (windows > 0) {
      opened += windows * perMs;
      taken = 0;
    }
    if (taken >= requests) return opened + perMs - now;
    taken++;
    return 0;
  };
}
