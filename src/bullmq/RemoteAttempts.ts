import { fromPlainFailure } from '../client/attempt/PlainFailure.ts';
import type { AttemptOwner, AttemptRequest, RunningAttempt } from '../client/attempt/RunningAttempt.ts';
import type { MakeAttempt } from '../client/ClientCore.ts';
import type { Clock } from '../client/Clock.ts';
import { type JobData, jobId } from './JobData.ts';
import type { Entry, LeaderQueue } from './LeaderQueue.ts';
import { lostFailure } from './lostFailure.ts';
import { decodeResult, queueFormat, type Result } from './Result.ts';

const mostEarly = 4096;

/**
 * The attempts of a client whose requests are sent by workers. Only the first result of a job counts. A repeated or
 * late result is thrown away. A response is kept until its page is requested.
 */
export class RemoteAttempts {
  readonly make: MakeAttempt;
  readonly #queue: LeaderQueue;
  readonly #clock: Clock;
  readonly #open = new Map<string, Remote>();
  readonly #early = new Map<string, Entry>();
  /** Jobs that got their result recently, to recognize a repeated one. */
  readonly #had = new Set<string>();
  /** Results passed on, to delete once their pages are safe: before the last commit, and since. */
  #older: string[] = [];
  #newer: string[] = [];

  constructor(queue: LeaderQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
    this.make = (owner, request) => new Remote(this, owner, request);
  }

  /** An id that no earlier job has: BullMQ ignores a second job of the same id, and a walk may request a page twice. */
  freeId(data: JobData, attempt: number): string {
    const id = jobId(data, attempt);
    return this.#open.has(id) || this.#had.has(id) ? this.freeId(data, attempt + 1) : id;
  }

  /** Jobs without a result. */
  get size(): number {
    return this.#open.size;
  }

  now(): number {
    return this.#clock.now();
  }

  send(remote: Remote): void {
    this.#open.set(remote.id, remote);
    const entry = this.#early.get(remote.id);
    if (entry === undefined) return this.#queue.add(remote.id, remote.data);
    this.#early.delete(remote.id);
    // Later: the sender isn't ready for a response yet.
    setImmediate(() => this.take([entry]));
  }

  abort(remote: Remote): void {
    if (this.#open.get(remote.id) === remote) this.#open.delete(remote.id);
  }

  take(entries: readonly Entry[]): void {
    const useless: string[] = [];
    for (const entry of entries) {
      const remote = this.#open.get(entry.job);
      if (remote === undefined) {
        if (!entry.good || this.#had.has(entry.job) || this.#early.size >= mostEarly) useless.push(entry.at);
        else this.#early.set(entry.job, entry);
        continue;
      }
      const result = read(entry.body);
      this.#close(remote);
      if ('response' in result) this.#newer.push(entry.at);
      else useless.push(entry.at);
      this.#hand(remote, result, entry.ms);
    }
    void this.#queue.drop(useless).catch(() => undefined);
  }

  /** Passes a result on. An unusable result fails only its own query. */
  #hand(remote: Remote, result: Result, ms: number): void {
    try {
      remote.end(result, ms);
    } catch (error) {
      try {
        remote.end({ failure: { ...lostFailure, what: `what a worker brought can't be taken: ${String(error)}` } }, ms);
      } catch (cause) {
        // Its query would wait for ever, in silence. The others are still taken.
        setImmediate(() => {
          throw cause;
        });
      }
    }
  }

  /** Jobs to look for in Redis. */
  open(): readonly string[] {
    return Array.from(this.#open.keys());
  }

  /** Redis doesn't have these jobs. Once or twice that may be chance, because they are on their way. */
  gone(jobs: readonly string[]): void {
    const gone = new Set(jobs);
    for (const remote of Array.from(this.#open.values())) {
      if (!gone.has(remote.id)) remote.missed = 0;
      else if (++remote.missed > 2) {
        this.#close(remote);
        remote.end({ failure: lostFailure }, 0);
      }
    }
  }

  /** A commit is done. Everything passed on before it began is safe. */
  committed(): void {
    const safe = this.#older;
    this.#older = this.#newer;
    this.#newer = [];
    void this.#queue.drop(safe).catch(() => undefined);
  }

  /** The run has ended well, so all is safe. */
  async settle(): Promise<void> {
    const safe = [...this.#older, ...this.#newer];
    this.#older = [];
    this.#newer = [];
    await this.#queue.drop(safe).catch(() => undefined);
  }

  #close(remote: Remote): void {
    this.#open.delete(remote.id);
    this.#had.add(remote.id);
    if (this.#had.size > mostEarly) for (const first of this.#had) return void this.#had.delete(first);
  }
}

function read(body: string): Result {
  try {
    return decodeResult(body);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { failure: { ...lostFailure, what: `what a worker brought can't be read: ${why}` } };
  }
}

/** An attempt that a worker makes. */
class Remote implements RunningAttempt {
  readonly id: string;
  readonly data: JobData;
  /** How often it was missing in Redis. */
  missed = 0;
  startedAt: number;
  readonly #all: RemoteAttempts;
  readonly #owner: AttemptOwner;

  constructor(all: RemoteAttempts, owner: AttemptOwner, { operation, query, label, keep, number }: AttemptRequest) {
    this.#all = all;
    this.#owner = owner;
    const stage = label ?? operation.name;
    this.data = { format: queueFormat, stage, operation: operation.name, query: query as JobData['query'], keep: keep || undefined };
    this.id = all.freeId(this.data, number);
    this.startedAt = all.now();
  }

  send(): void {
    this.#all.send(this);
  }

  abort(): void {
    this.#all.abort(this);
  }

  end(result: Result, ms: number): void {
    // The request started when the worker sent it, not when its job was added.
    this.startedAt = Math.max(this.startedAt, this.#all.now() - ms);
    if ('response' in result) this.#owner.came(result.response, result.bytes, result.raw);
    else this.#owner.failed(fromPlainFailure(result.failure));
  }
}
