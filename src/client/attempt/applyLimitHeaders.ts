import type { IncomingHttpHeaders } from 'node:http';
import type { Lane } from '../admission/Lanes.ts';
import type { ClientCore } from '../ClientCore.ts';
import { noneRemains, parseRateLimit } from './parseRateLimit.ts';
import { isRetryAfter } from './parseRetryAfter.ts';
import type { AttemptOwner, AttemptRequest } from './AttemptFailure.ts';

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
export function applyLimitHeaders(
  { events, oddHeaders }: Pick<ClientCore, 'events' | 'oddHeaders'>,
  lane: Lane,
  { operation, query }: AttemptRequest,
  response: { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body?: unknown; readonly at: number },
  owner: AttemptOwner,
): Refused {
  const { at } = response;
  const { pace, pause, readLimit } = lane;
  const ignore = (header: string, value: string): void => {
    if (!events.on || oddHeaders.has(header)) return;
    oddHeaders.add(header);
    events.emit({ type: 'ignored', operation: operation.name, query, at, header, value });
  };
  const retryAfter = response.headers['retry-after'];
  if (response.status !== 200 && retryAfter !== undefined && !isRetryAfter(retryAfter)) ignore('retry-after', retryAfter);
  const report = readLimit(response.headers, at, ignore, response.body);
  // A response with as many headers as one that says nothing of a limit isn't read for one.
  if (response.status === 200 && readLimit === parseRateLimit)
    lane.quietHeaders = report === undefined ? Object.keys(response.headers).length : undefined;
  if (report === undefined) return { noneLeft: response.status === 403 && noneRemains(response.headers) };
  owner.told(report);
  const pauseMs = response.status === 200 && events.on ? pause.unannounced() : undefined;
  if (pauseMs !== undefined) events.emit({ type: 'throttle', operation: operation.name, query, at, status: 200, pauseMs, rate: pace.rate });
  if (!('remaining' in report) || report.remaining > 0) return { noneLeft: false };
  return { noneLeft: true, waitMs: pace.told === undefined && 'resetMs' in report ? report.resetMs : undefined };
}
