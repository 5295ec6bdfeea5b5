import type { Payload } from '../response/parseResponse.ts';
import type { AttemptFailure } from './AttemptFailure.ts';

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
  goOn({ address, waitMs, moved }: NonNullable<Payload['pending']>, maxMs: number, now: number): AttemptFailure | undefined {
    this.#path = address;
    this.#since ??= now;
    if (now + waitMs - this.#since > maxMs) {
      const what = `the job was not done within ${maxMs} ms`;
      return { kind: 'timeout', error: 'TimeoutError', what, advice: 'raise job.maxMs if the service is slow' };
    }
    if (moved && ++this.#moves > maxMoves) {
      return { kind: 'final', error: 'PaginationError', what: `the job was redirected more than ${maxMoves} times` };
    }
    return undefined;
  }
}
