import type { IncomingHttpHeaders } from 'node:http';
import type { Lane } from '../admission/Lanes.ts';
import type { ClientCore } from '../ClientCore.ts';
import { outageNote } from './afterFailure.ts';
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
  { events, oddHeaders }: Pick<ClientCore, 'events' | 'oddHeaders'>,
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

/** Notes the outcome of an attempt. Tells listeners when an outage begins, has lasted too long, and is over. `failure`: undefined for a page. */
export function heedOutage(
  { outage, settings, events }: Pick<ClientCore, 'outage' | 'settings' | 'events'>,
  { operation, query }: { readonly operation: string; readonly query: object },
  failure?: AttemptFailure,
): void {
  const now = settings.clock.now();
  const lastedMs = outage.lastedMs(now);
  const kind = failure && failureKinds[failure.kind];
  const failed = (refused: boolean): OutageChange | undefined => outage.failed(now, refused, `${operation} ${JSON.stringify(query)}`);
  const state = kind?.passes === true ? failed(kind.pace === 'refused' || kind.pace === 'nothing') : outage.succeeded();
  if (state !== undefined && events.on) events.emit({ type: 'outage', operation, query, at: settings.clock.wall(), state, lastedMs });
}

/** Refuses a call that would wait for the end of an outage that has lasted too long, with the last error. */
export function outageRefusal(
  { outage, settings, transport }: Pick<ClientCore, 'outage' | 'settings' | 'transport'>,
  failure: AttemptFailure,
): Refusal {
  const note = outageNote(outage.lastedMs(settings.clock.now()));
  return ({ operation, query = {}, attempts = 0 }) =>
    failureError(failure, note, { operation, query, attempts }, (text) => transport.secrets.redact(text));
}
