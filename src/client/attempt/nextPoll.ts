import type { IncomingHttpHeaders } from 'node:http';
import { usualJob } from '../../contract/index.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { Payload } from '../response/parseResponse.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import type { AttemptRequest } from './RunningAttempt.ts';
import { givenPath, outside } from './givenPath.ts';
import type { PendingJob } from './jobState.ts';
import { parseRetryAfter } from './parseRetryAfter.ts';

/** A response about a job. `url`: where it came from, without the key. */
interface JobAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
}

/** Where to ask for a job next, and after how long; or why the service leaves that open. */
export function nextPoll(
  { address: given, moved = false }: PendingJob,
  { headers, url }: JobAnswer,
  { operation, poll }: AttemptRequest,
  { settings, transport }: ClientCore,
): NonNullable<Payload['pending']> | AttemptFailure {
  const { at = 'the header location', everyMs = usualJob.everyMs } = operation.spec.job!;
  if (poll === undefined && given === undefined) {
    const what = `the response starts a job and names no address: there is no ${at}`;
    return { kind: 'final', error: 'PayloadError', what };
  }
  const path = moved || poll === undefined ? givenPath(given!, url, settings) : poll;
  if (path === undefined) return outside('the job', settings);
  const waitMs = parseRetryAfter(headers['retry-after'], headers.date, settings.clock.wall()) ?? (moved ? 0 : everyMs);
  return { address: transport.secrets.cleanedText(path), waitMs, moved };
}
