import type { IncomingHttpHeaders } from 'node:http';
import { valueAt } from '../../../operators/kit/path.ts';
import { costPath, envelopeOf, jobPath, usualJob } from '../../contract/index.ts';
import type { ClientCore } from '../ClientCore.ts';
import { readBody } from '../response/readBody.ts';
import { readerFor } from '../response/formats/readerFor.ts';
import { parseResponse, type Payload, type Unreadable } from '../response/parseResponse.ts';
import type { AttemptFailure, AttemptRequest } from './AttemptFailure.ts';
import { bodyFailure, notAPageFailure, payloadFailure, statusFailure } from './attemptFailures.ts';
import type { AppliedHeaders } from './applyHeaders.ts';
import { jobState, type PendingJob } from './JobWait.ts';
import { givenPath, outside } from './nextPath.ts';
import { parseRetryAfter } from './parseRetryAfter.ts';

/** A response that is here. */
export interface Arrived {
  /** Its address, without the key. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decoded, without the key. */
  readonly body: Buffer;
  /** As it came. */
  readonly packed: Buffer;
  /** The key was in it. */
  readonly echoed: boolean;
  readonly applied: AppliedHeaders;
}

/** What a response has: a page, a job that isn't done, or why it is neither. */
export function readArrived(
  core: Pick<ClientCore, 'settings' | 'counts' | 'trouble' | 'spans' | 'transport'>,
  request: AttemptRequest,
  arrived: Arrived,
): Payload | AttemptFailure {
  const { service, policy, clock } = core.settings;
  const { operation, query } = request;
  const { status, headers, body, applied } = arrived;
  const { judge } = applied;
  const job = operation.spec.job && jobState(operation.spec.job, arrived, judge, readerFor(operation, query));
  if (job?.is === 'pending') return pending(job, arrived, request, core);
  if (status !== 200 && job === undefined) {
    const response = parseResponse(body, envelopeOf(service, operation), { judge, reader: readerFor(operation, query) });
    if (response.kind === 'payload' && response.verdict?.means === 'empty') return response;
    const worked = core.counts.responses > 0 || request.poll !== undefined;
    const failure = statusFailure(response, { ...arrived, refused: applied.refused, wall: clock.wall(), policy, worked });
    return hasRule(response) ? failure : core.trouble.judged(failure);
  }
  const response = core.spans.read(body, request, judge) ?? readBody(body, service, request, judge);
  if (response.kind === 'noList') return notAPageFailure(response.why);
  if (response.kind !== 'payload') return payloadFailure(body.length === 0 ? 'empty' : response.kind, body, operation.spec.format);
  if (!response.good) {
    const failure = bodyFailure(response, { headers, wall: clock.wall(), policy });
    return hasRule(response) ? failure : core.trouble.judged(failure);
  }
  if (!core.trouble.isKeyGood) core.trouble.keyWorks(core.transport.keyDigest);
  return response;
}

/** Whether a rule says what the response means. */
function hasRule(response: Payload | Unreadable): boolean {
  return response.kind === 'payload' && response.verdict !== undefined;
}

/** The rows aren't there yet: where to ask for them next, and after how long; or the failure if the response doesn't say where. */
function pending(
  { address: given, moved = false, body }: PendingJob,
  { headers, url }: Arrived,
  { operation, poll }: AttemptRequest,
  { settings, transport }: Pick<ClientCore, 'settings' | 'transport'>,
): Payload | AttemptFailure {
  const { at = 'header location', get: made, everyMs = usualJob.everyMs } = operation.spec.job!;
  if (poll === undefined && given === undefined) {
    const what = `the response starts a job and names no address: there is no ${at}`;
    return { kind: 'final', error: 'PayloadError', what };
  }
  const isId = made !== undefined && given !== undefined && !moved;
  const address = isId ? `${settings.address.prefix}${jobPath(made, given)}` : given!;
  const path = moved || poll === undefined ? givenPath(address, url, settings) : poll;
  if (path === undefined) return outside('the job', settings);
  const waitMs = parseRetryAfter(headers['retry-after'], headers.date, settings.clock.wall()) ?? (moved ? 0 : everyMs);
  const next = { address: transport.secrets.cleanedText(path), waitMs, moved };
  const costAt = costPath(settings.service.price);
  const cost = costAt === undefined ? undefined : valueAt(body, costAt);
  return { kind: 'payload', good: true, code: undefined, message: undefined, data: null, requestId: '', timestamp: 0, pending: next, cost };
}
