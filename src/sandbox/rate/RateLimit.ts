import { checkOptions } from '../../../operators/check/checkOptions.ts';
import { RateBucket } from './RateBucket.ts';
import { RateWindow } from './RateWindow.ts';

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

/** Admits requests, or says how long the next one must wait. */
export interface RateLimit {
  /** 0: admitted and counted. Otherwise the milliseconds until the next request may pass. */
  take(now: number): number;
}

export function rateLimit(options: SandboxRateLimit): RateLimit {
  const own = options.kind === 'bucket' ? ['perSecond', 'burst'] : ['requests', 'perMs'];
  checkOptions('startSandbox', options, ['kind', 'retryAfter', ...own], ' in rateLimit');
  if (options.kind === 'bucket') {
    positive('perSecond', options.perSecond);
    if (options.burst !== undefined && !(options.burst >= 1)) throw bad('burst', options.burst);
    return new RateBucket(options.perSecond, options.burst ?? Math.max(1, options.perSecond));
  }
  positive('requests', options.requests);
  positive('perMs', options.perMs);
  return new RateWindow(options.requests, options.perMs);
}

function positive(name: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) throw bad(name, value);
}

function bad(name: string, value: number): RangeError {
  return new RangeError(`startSandbox: rateLimit.${name} must be a positive number, not ${value}`);
}
