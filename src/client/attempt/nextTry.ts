import { failureKinds } from '../../errors/failureKinds.ts';
import type { Pause } from '../admission/Pause.ts';
import type { ClientCore } from '../ClientCore.ts';
import { backoffMs } from '../../../operators/limits/backoff.ts';
import { outageNote } from './heedOutage.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import type { CallFailures } from './CallFailures.ts';

/** A call's history when it decides whether to retry. */
interface Tries {
  /** Its failed attempts, including the current one. */
  readonly failures: CallFailures;
  /** Time since its first request. */
  readonly elapsedMs: number;
  /** What may have arrived may be sent again. */
  readonly repeatable: boolean;
}

/** The wait before the retry, or why there is none. `pausedUntil`: the whole client waits until then, in milliseconds since 1970. */
type NextTry = { readonly delayMs: number } | { readonly note: string; readonly pausedUntil?: number };

const latest = 8.64e15; // the latest possible Date

/** Whether nothing is left, for how long nobody knows. */
export function isExhausted({ kind, details }: AttemptFailure): boolean {
  return kind === 'quota' && details?.retryAfterMs === undefined;
}

/** The wait before a call's retry, or why there is none, as the rest of a sentence. Takes from the client's quota. */
export function nextTry(failure: AttemptFailure, tries: Tries, core: ClientCore, pause: Pause): NextTry {
  const { maxAttempts, maxRetryAfterMs, totalMs, baseMs, capMs, clock } = core.settings;
  const rule = failureKinds[failure.kind];
  if (rule.retries === 0) return { note: '' };
  if (!tries.repeatable && failure.unread !== true)
    return { note: '; not retried, because the request may have arrived and is not repeatable' };
  const retryAfterMs = failure.details?.retryAfterMs ?? 0;
  if (isExhausted(failure)) return { note: '' };
  if (retryAfterMs > maxRetryAfterMs) {
    const pausedUntil = Math.min(clock.wall() + retryAfterMs, latest);
    const what = `the service asks for a wait of ${Math.ceil(retryAfterMs / 1000)} s, longer than retry.maxRetryAfterMs allows`;
    return { note: `; ${what}; this client sends nothing before ${new Date(pausedUntil).toISOString()}`, pausedUntil };
  }
  if (rule.passes && core.outage.isTooLong) return { note: outageNote(core) };
  const { inRow } = tries.failures;
  if (inRow >= maxAttempts || tries.failures.ofKind(failure.kind) > rule.retries) return { note: inRow === 1 ? '' : `, ${inRow} times` };
  // A Retry-After pauses the whole client, including this call.
  const delayMs = retryAfterMs > 0 ? 0 : backoffMs(inRow, clock.random(), baseMs, capMs);
  if (tries.elapsedMs + Math.max(delayMs, retryAfterMs) > totalMs) return { note: `, and retry.totalMs (${totalMs} ms) is used up` };
  if (!core.quota.take(retryAfterMs > 0 ? 0 : rule.cost)) {
    // Without a pause, first attempts of other calls would take its place at once.
    if (pause.ms === 0) pause.take(core.quota.nextPauseMs());
    return { note: "; not retried, because too many of this client's requests fail" };
  }
  return { delayMs };
}
