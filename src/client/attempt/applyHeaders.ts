import type { IncomingHttpHeaders } from 'node:http';
import type { LimitGroup } from '../admission/LimitGroups.ts';
import type { ClientCore } from '../ClientCore.ts';
import { noneRemains, parseRateLimit } from './parseRateLimit.ts';
import { isRetryAfter } from './parseRetryAfter.ts';
import type { AttemptOwner, AttemptRequest } from './AttemptFailure.ts';
import type { MatchRules } from './failurePolicy.ts';

/** What the headers say about the limit. It decides what a refusal means. */
export interface Refused {
  /** No requests are left. */
  readonly noneLeft: boolean;
  /** When requests are left again, if the pace doesn't wait for it. */
  readonly waitMs?: number | undefined;
}

/** What a response says about limits and failures, once its headers are read. */
export interface AppliedHeaders {
  /** What it says about the limit. If the body states the limit, that is known once `judge` has read it. */
  readonly refused: Refused;
  /** Reads the body by the rules of the service. */
  readonly judge: MatchRules | undefined;
}

const quiet: Refused = { noneLeft: false };

/** Reads what the headers of a response say, and applies the limit that they state to the pace. */
export function applyHeaders(
  core: Pick<ClientCore, 'events' | 'oddHeaders' | 'settings' | 'planOf'>,
  request: AttemptRequest,
  { status, headers }: { readonly status: number; readonly headers: IncomingHttpHeaders },
  owner: AttemptOwner,
): AppliedHeaders {
  const { policy, clock } = core.settings;
  const { limitGroup } = request.plan ?? core.planOf(request.operation);
  // It has as many headers as an earlier response that stated no limit.
  const isUsual = status === 200 && limitGroup.quietHeaders === Object.keys(headers).length;
  const isQuiet = isUsual && !('x-ratelimit-remaining' in headers || 'ratelimit' in headers || 'ratelimit-remaining' in headers);
  const at = isQuiet && policy.judge === undefined ? 0 : clock.wall();
  const judge = policy.judge?.(status, headers, at, request.operation.spec);
  const apply = (body?: unknown): Refused => applyLimit(core, limitGroup, request, { status, headers, body, at }, owner);
  if (!limitGroup.inBody) return { refused: isQuiet ? quiet : apply(), judge };
  const applied = {
    refused: quiet,
    judge: ((body, code) => {
      applied.refused = apply(body);
      return judge?.(body, code);
    }) satisfies MatchRules,
  };
  return applied;
}

/**
 * Reads what a response says about the service's limit, and passes it on. Emits an event for a header that makes no sense, once, and for
 * a pause of a good response: `tellPace` emits those of failures. `at`: when it came.
 */
function applyLimit(
  { events, oddHeaders }: Pick<ClientCore, 'events' | 'oddHeaders'>,
  limitGroup: LimitGroup,
  { operation, query }: AttemptRequest,
  response: { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body?: unknown; readonly at: number },
  owner: AttemptOwner,
): Refused {
  const { at } = response;
  const { pace, pause, readLimit } = limitGroup;
  const ignore = (header: string, value: string): void => {
    if (!events.on || oddHeaders.has(header)) return;
    oddHeaders.add(header);
    events.emit({ type: 'ignored', operation: operation.name, query, at, header, value });
  };
  const retryAfter = response.headers['retry-after'];
  if (response.status !== 200 && retryAfter !== undefined && !isRetryAfter(retryAfter)) ignore('retry-after', retryAfter);
  const report = readLimit(response.headers, at, ignore, response.body);
  if (response.status === 200 && readLimit === parseRateLimit)
    limitGroup.quietHeaders = report === undefined ? Object.keys(response.headers).length : undefined;
  if (report === undefined) return { noneLeft: response.status === 403 && noneRemains(response.headers) };
  owner.statedLimit(report);
  const pauseMs = response.status === 200 && events.on ? pause.unannounced() : undefined;
  if (pauseMs !== undefined) events.emit({ type: 'throttle', operation: operation.name, query, at, status: 200, pauseMs, rate: pace.rate });
  if (!('remaining' in report) || report.remaining > 0) return { noneLeft: false };
  return { noneLeft: true, waitMs: pace.told === undefined && 'resetMs' in report ? report.resetMs : undefined };
}
