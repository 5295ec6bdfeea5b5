import type { ClientCore } from '../ClientCore.ts';
import type { Trip } from '../rate/Pace.ts';
import type { Failure } from './Failure.ts';
import { retryRules } from './retryRules.ts';

/** Hands on what a failed attempt says about how fast the service may be asked: to the pace, to all of the client, to listeners. */
export function tellPace(
  core: ClientCore,
  failure: Failure,
  trip: Trip,
  about: { readonly operation: string; readonly query: object },
): void {
  const { admission, events, settings, counts } = core;
  const { clock, pace, maxRetryAfterMs } = settings;
  const { status, retryAfterMs } = failure.details ?? {};
  if (failure.kind === 'throttled') {
    counts.throttled++;
    pace.throttled(clock.now(), trip, retryAfterMs);
  } else if (status !== undefined) {
    pace.succeeded(clock.now(), trip);
  }
  const pauses = retryAfterMs !== undefined && retryAfterMs <= maxRetryAfterMs && retryRules[failure.kind].retries > 0;
  // Never earlier than it was asked for, and not all clients at the same moment.
  if (pauses) admission.pause(retryAfterMs + clock.random() * Math.min(1000, retryAfterMs / 10));
  if (events.on && (pauses || failure.kind === 'throttled')) {
    const { operation, query } = about;
    const pauseMs = admission.pausedMs;
    events.emit({ type: 'throttle', operation, query, at: clock.wall(), status: status ?? 0, pauseMs, rate: pace.rate });
  }
}
