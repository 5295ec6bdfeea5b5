import { backoffMs } from '../../../operators/limits/backoff.ts';
import { failureKinds } from '../../errors/TrawlerError.ts';
import type { FailureKind } from '../../errors/index.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import { heedOutage, outageNote } from './heedHeaders.ts';
import type { PageCall } from './PageCall.ts';
import type { Lane } from '../admission/Lanes.ts';
import type { Trip } from '../rate/Pace.ts';

/** The wait before the next attempt, or that there is none: with which failure, and why, as the rest of a sentence. */
type NextTry = { readonly delayMs: number } | { readonly failure: AttemptFailure; readonly note: string };

const latest = 8.64e15; // the latest possible Date

/** The failed attempts of one call, and what follows from each. Takes from the client's quota. */
export class Retries {
  readonly #core: ClientCore;
  readonly #call: Pick<PageCall, 'request' | 'charge'>;
  readonly #ofKind: { [kind in FailureKind]?: number } = {};
  /** Those since the service last answered. */
  #inRow = 0;
  #resent = false;
  #renewed = false;
  /** The last one that another attempt followed. */
  last: AttemptFailure | undefined;

  constructor(core: ClientCore, call: Pick<PageCall, 'request' | 'charge'>) {
    this.#core = core;
    this.#call = call;
  }

  /** The service has answered. */
  answered(): void {
    this.#inRow = 0;
  }

  /** What follows from a failure. `since`: the first attempt. `repeatable`: what may have arrived may be sent again. */
  after(failure: AttemptFailure, since: number, repeatable: boolean): NextTry {
    const next = this.#isFree(failure, repeatable) ? { delayMs: 0 } : this.#next(failure, since, repeatable);
    if ('delayMs' in next) this.last = failure;
    return next;
  }

  /** Whether it says nothing of the service, so that the next attempt may go at once: once for each of the reasons. */
  #isFree({ stale, renewed }: AttemptFailure, repeatable: boolean): boolean {
    if (stale === true && !this.#resent && repeatable) return (this.#resent = true);
    if (renewed === true && !this.#renewed) return (this.#renewed = true);
    return false;
  }

  #next(failure: AttemptFailure, since: number, repeatable: boolean): NextTry {
    const { settings, outage, quota } = this.#core;
    const { maxAttempts, maxRetryAfterMs, totalMs, baseMs, capMs, clock } = settings;
    const { pause } = this.#call.charge.lane;
    const { operation, query } = this.#call.request;
    heedOutage(this.#core, { operation: operation.name, query }, failure);
    const { kind, details } = failure;
    const inRow = ++this.#inRow;
    const ofKind = (this.#ofKind[kind] = (this.#ofKind[kind] ?? 0) + 1);
    const rule = failureKinds[kind];
    const stop = (note: string): NextTry => ({ failure, note });
    if (rule.retries === 0) return stop('');
    if (!repeatable && failure.unread !== true) return stop('; not retried, because the request may have arrived and is not repeatable');
    if (isExhausted(failure)) return stop('');
    const retryAfterMs = details?.retryAfterMs ?? 0;
    if (retryAfterMs > maxRetryAfterMs) {
      const pausedUntil = Math.min(clock.wall() + retryAfterMs, latest);
      const what = `the service asks for a wait of ${Math.ceil(retryAfterMs / 1000)} s, longer than retry.maxRetryAfterMs allows`;
      const note = `; ${what}; this client sends nothing before ${new Date(pausedUntil).toISOString()}`;
      return { failure: { ...failure, details: { ...details, pausedUntil } }, note };
    }
    if (rule.passes && outage.isTooLong) return stop(outageNote(this.#core));
    if (inRow >= maxAttempts || ofKind > rule.retries) return stop(inRow === 1 ? '' : `, ${inRow} times`);
    // A Retry-After pauses the whole client, including this call.
    const delayMs = retryAfterMs > 0 ? 0 : backoffMs(inRow, clock.random(), baseMs, capMs);
    if (clock.now() - since + Math.max(delayMs, retryAfterMs) > totalMs) return stop(`, and retry.totalMs (${totalMs} ms) is used up`);
    if (quota.take(retryAfterMs > 0 ? 0 : rule.cost)) return { delayMs };
    // Without a pause, first attempts of other calls would take its place at once.
    if (pause.ms === 0) pause.take(quota.nextPauseMs());
    return stop("; not retried, because too many of this client's requests fail");
  }
}

/** Whether nothing is left, for how long nobody knows. */
export function isExhausted({ kind, details }: AttemptFailure): boolean {
  return kind === 'quota' && details?.retryAfterMs === undefined;
}

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
