import type { ClientCore } from '../ClientCore.ts';
import { backoffMs } from './backoffMs.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import { retryRules } from './retryRules.ts';

/** What a call has behind it when it decides whether to try again. */
export interface Tries {
  /** Attempts that failed, the present one included. */
  readonly failures: number;
  /** Those of the present kind, the present one included. */
  readonly ofThisKind: number;
  /** Since its first request. */
  readonly elapsedMs: number;
}

/** In how long it tries again; or why it doesn't. `pausedUntil`: the whole client waits that long, in milliseconds since 1970. */
export type NextTry = { readonly delayMs: number } | { readonly note: string; readonly pausedUntil?: number };

const latest = 8.64e15; // that a Date can be

/** In how long a call tries again; or why it doesn't, as the rest of a sentence. Takes from the client's quota. */
export function nextTry(failure: AttemptFailure, tries: Tries, core: ClientCore): NextTry {
  const { maxAttempts, maxRetryAfterMs, totalMs, baseMs, capMs, clock } = core.settings;
  const rule = retryRules[failure.kind];
  if (rule.retries === 0) return { note: '' };
  const retryAfterMs = failure.details?.retryAfterMs ?? 0;
  if (retryAfterMs > maxRetryAfterMs) {
    core.admission.pause(retryAfterMs);
    const pausedUntil = Math.min(clock.wall() + retryAfterMs, latest);
    const what = `it asks to wait ${Math.ceil(retryAfterMs / 1000)} s, longer than retry.maxRetryAfterMs allows`;
    return { note: `; ${what}; this client sends nothing before ${new Date(pausedUntil).toISOString()}`, pausedUntil };
  }
  if (tries.failures >= maxAttempts || tries.ofThisKind > rule.retries)
    return { note: tries.failures === 1 ? '' : `, ${tries.failures} times` };
  // With a Retry-After the whole client pauses, this call included.
  const delayMs = retryAfterMs > 0 ? 0 : backoffMs(tries.failures, clock.random(), baseMs, capMs);
  if (tries.elapsedMs + Math.max(delayMs, retryAfterMs) > totalMs) return { note: `, and retry.totalMs (${totalMs} ms) is used up` };
  if (!core.quota.take(retryAfterMs > 0 ? 0 : rule.cost)) {
    // Without a pause, the first tries of others would follow all the faster.
    if (core.admission.pausedMs === 0) core.admission.pause(core.quota.nextPauseMs());
    return { note: '; not tried again, since too much of what this client asks for fails' };
  }
  return { delayMs };
}
