import type { IncomingHttpHeaders } from 'node:http';
import type { Lane } from '../admission/Lanes.ts';
import type { ClientCore } from '../ClientCore.ts';
import { noneRemains } from './parseRateLimit.ts';
import { isRetryAfter } from './parseRetryAfter.ts';
import { type AttemptOwner, type AttemptRequest, failureError, type AttemptFailure } from './AttemptFailure.ts';
import { failureKinds } from '../../errors/TrawlerError.ts';
import type { Refusal } from '../admission/Task.ts';
import type { OutageChange } from './Outage.ts';

/** What a refusal with these headers means. */
export interface Refused {
  /** No requests are left. */
  readonly noneLeft: boolean;
  /** When requests are left again, if the pace doesn't wait for it. */
  readonly waitMs?: number | undefined;
}

/**
 * Reads what a response says about the service's limit, and passes it on. Listeners are told of a
 * header that makes no sense, once, and of a pause. `at`: when it came. `tellPace` tells of pauses if the response is a failure.
 */
export function heedHeaders(
  { events, oddHeaders }: ClientCore,
  { pace, pause, readLimit }: Lane,
  { operation, query }: AttemptRequest,
  response: { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body?: unknown; readonly at: number },
  owner: AttemptOwner,
): Refused {
  const { at } = response;
  const ignore = (header: string, value: string): void => {
    if (!events.on || oddHeaders.has(header)) return;
    oddHeaders.add(header);
    events.emit({ type: 'ignored', operation: operation.name, query, at, header, value });
  };
  const retryAfter = response.headers['retry-after'];
  if (response.status !== 200 && retryAfter !== undefined && !isRetryAfter(retryAfter)) ignore('retry-after', retryAfter);
  const report = readLimit(response.headers, at, ignore, response.body);
  if (report === undefined) return { noneLeft: response.status === 403 && noneRemains(response.headers) };
  owner.told(report);
  const pauseMs = response.status === 200 && events.on ? pause.unannounced() : undefined;
  if (pauseMs !== undefined) events.emit({ type: 'throttle', operation: operation.name, query, at, status: 200, pauseMs, rate: pace.rate });
  if (!('remaining' in report) || report.remaining > 0) return { noneLeft: false };
  return { noneLeft: true, waitMs: pace.told === undefined && 'resetMs' in report ? report.resetMs : undefined };
}

type About = { readonly operation: string; readonly query: object };

/** Notes the outcome of an attempt. Tells listeners when an outage begins, has lasted too long, and is over. `failure`: undefined for a page. */
export function heedOutage(core: ClientCore, about: About, failure?: AttemptFailure): void {
  const { outage, settings } = core;
  const now = settings.clock.now();
  const lastedMs = outage.lastedMs(now);
  const kind = failure && failureKinds[failure.kind];
  const failed = (refused: boolean): OutageChange | undefined =>
    outage.failed(now, refused, `${about.operation} ${JSON.stringify(about.query)}`);
  const change = kind?.passes === true ? failed(kind.pace === 'refused' || kind.pace === 'nothing') : outage.succeeded();
  if (change !== undefined) tell(core, about, change, lastedMs);
}

/** Refuses a call that would wait for the end of an outage that has lasted too long, with the last error. */
export function outageRefusal(core: ClientCore, failure: AttemptFailure): Refusal {
  const note = outageNote(core);
  return ({ operation, query = {}, attempts = 0 }) =>
    failureError(failure, note, { operation, query, attempts }, (text) => core.transport.secrets.redact(text));
}

/** How long nothing has got through, as the rest of a sentence. */
export function outageNote({ outage, settings }: ClientCore): string {
  return `; no request has got through for ${Math.round(outage.lastedMs(settings.clock.now()) / 1000)} s, longer than retry.outageMs allows`;
}

function tell({ events, settings }: ClientCore, { operation, query }: About, state: OutageChange, lastedMs: number): void {
  if (events.on) events.emit({ type: 'outage', operation, query, at: settings.clock.wall(), state, lastedMs });
}
