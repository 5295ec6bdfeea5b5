import type { AttemptOwner, AttemptRequest, RunningAttempt } from '../client/attempt/AttemptFailure.ts';
import type { PageData } from './JobData.ts';
import type { Result } from './Result.ts';

/** What a remote needs of the collection of all remotes. */
interface Remotes {
  freeId(page: Omit<PageData, 'id'>, attempt: number, renews: boolean): string;
  /** A digest of the key that has worked. */
  readonly workingKey: string | undefined;
  now(): number;
  send(remote: Remote): void;
  abort(remote: Remote): void;
}

/** An attempt that a worker makes. */
export class Remote implements RunningAttempt {
  readonly page: PageData;
  /** The same page was requested before. */
  readonly isRetry: boolean;
  /** It needs a new response, not one that an earlier leader requested. */
  readonly renews: boolean;
  /** Its job, once it is in one. */
  job: string | undefined;
  /** How often in a row its job was missing in the queue. */
  missed = 0;
  startedAt: number;
  /** The call that makes the attempt. All attempts of a page have the same owner. */
  readonly owner: AttemptOwner;
  readonly #all: Remotes;
  #aborted = false;

  constructor(all: Remotes, owner: AttemptOwner, request: AttemptRequest) {
    const { operation, query, rows, missing, lazy, label, keep, poll, renews = false, number } = request;
    this.#all = all;
    this.owner = owner;
    this.renews = renews;
    const stage = label ?? operation.name;
    const page = {
      stage,
      operation: operation.name,
      query: query as PageData['query'],
      rows,
      missing,
      lazy: lazy || undefined,
      keep: keep || undefined,
      poll,
      key: all.workingKey,
    };
    this.page = { id: all.freeId(page, number, renews), ...page };
    this.isRetry = number > 1;
    this.startedAt = all.now();
  }

  send(): void {
    this.owner.sending();
    if (!this.#aborted) this.#all.send(this);
  }

  abort(): boolean {
    this.#aborted = true;
    this.#all.abort(this);
    return this.job !== undefined;
  }

  end(result: Result): void {
    // It started when the worker sent the request, not when the job was added.
    this.startedAt = Math.max(this.startedAt, this.#all.now() - result.ms);
    if (result.limit !== undefined) this.owner.statedLimit(result.limit);
    if ('response' in result) this.owner.came(result.response, result.bytes, result.raw);
    else this.owner.failed(result.failure);
  }
}
