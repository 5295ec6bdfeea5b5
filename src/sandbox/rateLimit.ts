import { checkOptions } from '../../operators/check/checkOptions.ts';

export type SandboxRateLimit = (
  | {
      /** Refills continuously. */
      readonly kind: 'bucket';
      readonly perSecond: number;
      /** Its capacity. @default perSecond */
      readonly burst?: number | undefined;
    }
  | {
      /** Starts over every `perMs`. */
      readonly kind: 'window';
      readonly requests: number;
      readonly perMs: number;
    }
) & {
  /** Send Retry-After: in seconds, or as a date. @default false */
  readonly retryAfter?: boolean | 'date' | undefined;
};

/** 0: the request is admitted and counted. Otherwise the milliseconds until the next one may pass. */
type RateLimit = (now: number) => number;

export function rateLimit(options: SandboxRateLimit): RateLimit {
  const own = options.kind === 'bucket' ? ['perSecond', 'burst'] : ['requests', 'perMs'];
  checkOptions('startSandbox', options, ['kind', 'retryAfter', ...own], ' in rateLimit');
  if (options.kind === 'bucket') {
    positive('perSecond', options.perSecond);
    if (options.burst !== undefined && !(options.burst >= 1)) throw bad('burst', options.burst);
    return bucket(options.perSecond / 1000, options.burst ?? Math.max(1, options.perSecond));
  }
  positive('requests', options.requests);
  positive('perMs', options.perMs);
  return rateWindow(options.requests, options.perMs);
}

/** A token bucket. */
function bucket(perMs: number, burst: number): RateLimit {
  let tokens = burst;
  let last: number | undefined;
  return (now) => {
    tokens = Math.min(burst, tokens + (now - (last ?? now)) * perMs);
    last = now;
    if (tokens < 1 - 1e-9) return (1 - tokens) / perMs; // adding up fractions leaves a little behind
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

function positive(name: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) throw bad(name, value);
}

function bad(name: string, value: number): RangeError {
  return new RangeError(`startSandbox: rateLimit.${name} must be a positive number, not ${value}`);
}
