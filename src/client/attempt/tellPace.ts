import { failureKinds } from '../../errors/failureKinds.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { Lane } from '../admission/Lanes.ts';
import type { Trip } from '../rate/Pace.ts';
import type { AttemptFailure } from './AttemptFailure.ts';

/** Reports what a failed attempt says about the allowed rate: to the lane, to listeners. */
export function tellPace(
  core: ClientCore,
  failure: AttemptFailure,
  { pace, pause }: Lane,
  trip: Trip,
  about: { readonly operation: string; readonly query: object },
): void {
  const { events, settings, counts, signs } = core;
  const { clock } = settings;
  const { status, retryAfterMs } = failure.details ?? {};
  const rule = failureKinds[failure.kind];
  const toldToWait = retryAfterMs !== undefined && rule.retries > 0;
  const says = failure.unsent === true ? undefined : rule.pace;
  let enough = says === 'refused';
  if (enough) counts.throttled++;
  else if (says === 'strained' && failure.stale !== true) enough = signs.failed() || toldToWait;
  const strained = says === 'strained' && !toldToWait;
  if (enough) pace.throttled(clock.now(), { ...trip, strained }, retryAfterMs);
  else if (says === 'served' && status !== undefined) pace.succeeded(clock.now(), trip);
  if (toldToWait) pause.require(retryAfterMs);
  if (!events.on) return;
  const pauses = pause.unannounced() !== undefined;
  if (!pauses && !toldToWait && !enough) return;
  const { operation, query } = about;
  events.emit({ type: 'throttle', operation, query, at: clock.wall(), status: status ?? 0, pauseMs: pause.ms, rate: pace.rate });
}
