import { type Payload, decodeText } from '../response/parseResponse.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import type { MatchRules } from './failurePolicy.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { valueAt } from '../../../operators/kit/path.ts';
import { usualJob, type JobSpec } from '../../contract/index.ts';
import type { BodyReader } from '../response/formats/readerFor.ts';

const maxMoves = 5;

/** The job that a call waits for. */
export class JobWait {
  #path: string;
  /** When the call first heard of it. */
  #since: number | undefined;
  /** How often a 303 led to another address. */
  #moves = 0;

  /** `path`: where to ask for it. */
  constructor(path: string) {
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  /** An earlier run started it, and the service has said nothing of it since. */
  get isEarlier(): boolean {
    return this.#since === undefined;
  }

  /** Takes in where to ask next, and after how long. Returns why the call waits no longer. */
  goOn({ address, waitMs, moved }: NonNullable<Payload['pending']>, now: number): AttemptFailure | undefined {
    this.#path = address;
    this.#since ??= now;
    if (now + waitMs - this.#since > usualJob.maxMs)
      return { kind: 'timeout', error: 'TimeoutError', what: `the job was not done within ${usualJob.maxMs} ms` };
    if (moved && ++this.#moves > maxMoves) {
      return { kind: 'final', error: 'PaginationError', what: `the job was redirected more than ${maxMoves} times` };
    }
    return undefined;
  }
}

/** `address`: where to look next, as the service says. `moved`: the rows are there now. */
export interface PendingJob {
  readonly is: 'pending';
  readonly address: string | undefined;
  readonly moved?: boolean;
  /** The body, as far as it could be read. */
  readonly body?: unknown;
}

/** What a response says about a job. */
type JobState = { readonly is: 'done' } | PendingJob;

/** A response, as far as it may be about a job. */
interface JobResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Whether a response is over, with the rows or as a failure, or leads to them. undefined: it says nothing of a job. */
export function jobState(
  { at, until }: JobSpec,
  { status, headers: { location }, body }: JobResponse,
  judge: MatchRules | undefined,
  reader: BodyReader | undefined,
): JobState | undefined {
  if (status === 303 && location !== undefined) return { is: 'pending', address: location, moved: true };
  if (status < 200 || status > 299) return undefined;
  const value = bodyOf(body, reader);
  const state = until && textAt(value, until.at);
  if ((state !== undefined && until!.is.map(String).includes(state)) || judge?.(value, undefined) !== undefined) return { is: 'done' };
  if (status !== usualJob.status && state === undefined) return undefined;
  return { is: 'pending', address: at === undefined ? location : textAt(value, at), body: value };
}

/** The body as a value, or undefined if it can't be read: the status tells then. */
function bodyOf(body: Buffer, reader: BodyReader | undefined): unknown {
  try {
    const text = decodeText(body);
    return reader?.read(text) ?? JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textAt(value: unknown, path: string): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : undefined;
}
