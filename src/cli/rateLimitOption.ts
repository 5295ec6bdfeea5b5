import type { SandboxRateLimit } from '../sandbox/index.ts';
import { UsageError } from './UsageError.ts';

/** `5`: a bucket that refills 5 times a second. `300/60s`: 300 in each 60 seconds. */
export function rateLimitOption(text: string | undefined, retryAfter: boolean): SandboxRateLimit | undefined {
  if (text === undefined) {
    if (retryAfter) throw new UsageError('--retry-after says how long --rate-limit makes one wait; give both.');
    return undefined;
  }
  const [, requests, seconds] = /^(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?)s)?$/.exec(text) ?? [];
  if (requests === undefined) {
    throw new UsageError(`--rate-limit is a number of requests a second such as 5, or a window such as 300/60s, not '${text}'.`);
  }
  return seconds === undefined
    ? { kind: 'bucket', perSecond: Number(requests), retryAfter }
    : { kind: 'window', requests: Number(requests), perMs: Number(seconds) * 1000, retryAfter };
}
