import { backoffMs } from '../../../operators/limits/backoff.ts';
import { failureKinds } from '../../errors/TrawlerError.ts';
import type { FailureKind } from '../../errors/index.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { Settings } from '../options/resolveOptions.ts';
import { failureError, type AttemptFailure } from './AttemptFailure.ts';
import type { LimitGroup } from '../admission/LimitGroups.ts';
import type { Refusal } from '../admission/Task.ts';
import type { Transport } from './Transport.ts';
import type { SentRequest } from '../rate/Pace.ts';

/** The failed attempts of a call. */
export interface FailedBefore {
  readonly ofKind: { [kind in FailureKind]?: number };
  /** Those since the service last answered. */
  inRow: number;
  /** Attempts followed at once: because the connection was stale, because the key was renewed. */
  resent: boolean;
  renewed: boolean;
  /** The last one that another attempt followed. */
  last: AttemptFailure | undefined;
}

/** Why the next attempt may go at once: the failure says nothing of the service. Once for each of the reasons. */
export function freeRetry(
  { stale, renewed }: AttemptFailure,
  before: Pick<FailedBefore, 'resent' | 'renewed'>,
  repeatable: boolean,
): 'resent' | 'renewed' | undefined {
  if (stale === true && !before.resent && repeatable) return 'resent';
  return renewed === true && !before.renewed ? 'renewed' : undefined;
}

/** What is known when an attempt has failed. */
export interface Situation {
  /** What may have arrived may be sent again. */
  readonly repeatable: boolean;
  /** Since the first attempt. */
  readonly spentMs: number;
  /** For how long nothing has got through, once that is too long. */
  readonly outageMs: number | undefined;
  /** What is left for retries. */
  readonly tokens: number;
}

/**
 * The wait before the next attempt, and what it costs of the quota; or that there is none: with which failure, and why, as the rest
 * of a sentence. `tooMany`: because too much fails.
 */
export type NextTry =
  | { readonly delayMs: number; readonly cost: number }
  | { readonly failure: AttemptFailure; readonly note: string; readonly tooMany?: true };

const latest = 8.64e15; // the latest possible Date

/** What follows from a failure, which is counted in `failed` already. */
export function afterFailure(
  failure: AttemptFailure,
  { inRow, ofKind }: Pick<FailedBefore, 'inRow' | 'ofKind'>,
  { repeatable, spentMs, outageMs, tokens }: Situation,
  { maxAttempts, maxRetryAfterMs, totalMs, baseMs, capMs, clock }: Settings,
): NextTry {
  const { kind, details } = failure;
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
  if (rule.passes && outageMs !== undefined) return stop(outageNote(outageMs));
  if (inRow >= maxAttempts || ofKind[kind]! > rule.retries) return stop(inRow === 1 ? '' : `, ${inRow} times`);
  // A Retry-After pauses the whole client, including this call.
  const delayMs = retryAfterMs > 0 ? 0 : backoffMs(inRow, clock.random(), baseMs, capMs);
  if (spentMs + Math.max(delayMs, retryAfterMs) > totalMs) return stop(`, and retry.totalMs (${totalMs} ms) is used up`);
  const cost = retryAfterMs > 0 ? 0 : rule.cost;
  if (cost <= tokens) return { delayMs, cost };
  return { failure, note: "; not retried, because too many of this client's requests fail", tooMany: true };
}

/** Whether nothing is left, for how long nobody knows. */
export function isExhausted({ kind, details }: AttemptFailure): boolean {
  return kind === 'quota' && details?.retryAfterMs === undefined;
}

/** Refuses a call that would wait for the end of an outage that has lasted too long, with the last error. */
export function outageRefusal(failure: AttemptFailure, lastedMs: number, { secrets }: Pick<Transport, 'secrets'>): Refusal {
  const note = outageNote(lastedMs);
  return ({ operation, query = {}, attempts = 0 }) =>
    failureError(failure, note, { operation, query, attempts }, (text) => secrets.redact(text));
}

/** How long nothing has got through, as the rest of a sentence. */
function outageNote(lastedMs: number): string {
  return `; no request has got through for ${Math.round(lastedMs / 1000)} s, longer than retry.outageMs allows`;
}

/** Reports what a failed attempt says about the allowed rate: to its limit group, to listeners. */
export function tellPace(
  { events, settings, counts, trouble }: Pick<ClientCore, 'events' | 'settings' | 'counts' | 'trouble'>,
  failure: AttemptFailure,
  { pace, pause }: LimitGroup,
  sent: SentRequest,
  { operation, query }: { readonly operation: string; readonly query: object },
): void {
  const { clock } = settings;
  const { status, retryAfterMs } = failure.details ?? {};
  const rule = failureKinds[failure.kind];
  const toldToWait = retryAfterMs !== undefined && rule.retries > 0;
  const says = failure.unsent === true ? undefined : rule.pace;
  let enough = says === 'refused';
  if (enough) counts.throttled++;
  else if (says === 'strained' && failure.stale !== true) enough = trouble.isOverload() || toldToWait;
  const strained = says === 'strained' && !toldToWait;
  if (enough) pace.throttled(clock.now(), { ...sent, strained }, retryAfterMs);
  else if (says === 'served' && status !== undefined) pace.succeeded(clock.now(), sent);
  if (toldToWait) pause.require(retryAfterMs);
  if (!events.on) return;
  const pauses = pause.unannounced() !== undefined;
  if (!pauses && !toldToWait && !enough) return;
  events.emit({ type: 'throttle', operation, query, at: clock.wall(), status: status ?? 0, pauseMs: pause.ms, rate: pace.rate });
}
