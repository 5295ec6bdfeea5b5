import type { MakeAttempt } from '../client/ClientCore.ts';
import type { Clock } from '../client/Clock.ts';
import { jobId, pageId, pagesPerJob, type PageData } from './JobData.ts';
import type { Entry, LeaderQueue, QueueRemains } from './LeaderQueue.ts';
import { Remote } from './Remote.ts';
import { lostFailure, decodeResult, type Result } from './Result.ts';
import { Suspects } from './Suspects.ts';

const mostEarly = 4096;

/** An entry of the queue, from which some results have not been passed on yet. */
interface Pending {
  readonly at: string;
  left: number;
  /** It held a response that was passed on. */
  good: boolean;
}

/**
 * The attempts of a client whose requests are sent by workers. Those that start in one turn share jobs. Only the first
 * result of a page counts. A repeated or late result is thrown away. A response is kept until its page is requested.
 */
export class RemoteAttempts {
  readonly make: MakeAttempt;
  /** The pages that each worker does at once, to share them evenly. */
  slots: readonly number[] = [];
  readonly #queue: LeaderQueue;
  readonly #clock: Clock;
  readonly #open = new Map<string, Remote>();
  readonly #early = new Map<string, { readonly result: Result; readonly entry: Pending }>();
  /** Pages that got their result recently, to recognize a repeated one: the latest, and as many before them. */
  #had = new Set<string>();
  #hadBefore = new Set<string>();
  #running = new Map<string, string>();
  #adding: Remote[] = [];
  readonly #suspects = new Suspects((remote) => this.#addJobs([[remote]]));
  /** Entries that were passed on, to delete once their pages are safe: before the last commit, and since. */
  #older: string[] = [];
  #newer: string[] = [];

  constructor(queue: LeaderQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
    this.make = (owner, request) => new Remote(this, owner, request);
  }

  /** An id that no earlier page has: a walk may request a page twice. */
  freeId(page: Omit<PageData, 'id'>, attempt: number): string {
    const id = pageId(page, attempt);
    return this.#open.has(id) || this.#isOver(id) ? this.freeId(page, attempt + 1) : id;
  }

  /** Pages without a result. */
  get size(): number {
    return this.#open.size;
  }

  now(): number {
    return this.#clock.now();
  }

  /** Takes over what an earlier leader left. */
  resume({ entries, running }: QueueRemains): void {
    this.#running = new Map(running);
    this.take(entries);
  }

  send(remote: Remote): void {
    const { id } = remote.page;
    this.#open.set(id, remote);
    const early = this.#early.get(id);
    remote.job = this.#running.get(id);
    this.#running.delete(id);
    if (early !== undefined) {
      this.#early.delete(id);
      // Later: the sender isn't ready for a response yet.
      setImmediate(() => this.#take(id, early.result, early.entry));
    } else if (remote.job === undefined) {
      this.#adding.push(remote);
      if (this.#adding.length === 1) setImmediate(() => this.#add());
    }
  }

  abort(remote: Remote): void {
    if (this.#open.get(remote.page.id) === remote) this.#open.delete(remote.page.id);
    this.#suspects.left(remote);
  }

  take(entries: readonly Entry[]): void {
    for (const { at, results } of entries) {
      const entry = { at, left: results.length, good: false };
      // A repeated result isn't read.
      for (const [of, parts] of results) this.#take(of, this.#isOver(of) ? undefined : read(parts), entry);
    }
  }

  #take(of: string, result: Result | undefined, entry: Pending): void {
    const remotes = this.#openOf(of);
    const good = result !== undefined && 'response' in result;
    if (remotes.length === 0 && good && this.#early.size < mostEarly) {
      this.#early.set(of, { result, entry });
      return;
    }
    entry.left -= 1;
    entry.good ||= good && remotes.length > 0;
    if (entry.left === 0 && entry.good) this.#newer.push(entry.at);
    else if (entry.left === 0) void this.#queue.drop([entry.at]).catch(() => undefined);
    if (result === undefined) return;
    for (const remote of remotes) {
      this.#close(remote);
      this.#hand(remote, result);
    }
  }

  /** Passes a result on. An unusable result fails only its own query. */
  #hand(remote: Remote, result: Result): void {
    if ('failure' in result && result.failure.kind === 'lost') this.#suspects.lost(remote);
    try {
      remote.end(result);
    } catch (error) {
      try {
        remote.end({ failure: { ...lostFailure, what: `what a worker brought can't be taken: ${String(error)}` }, ms: result.ms });
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
    const jobs = new Set<string>();
    for (const { job } of this.#open.values()) if (job !== undefined) jobs.add(job);
    return [...jobs];
  }

  /** Redis doesn't have these jobs. Once or twice that may be chance, because they are on their way. */
  gone(jobs: readonly string[]): void {
    const gone = new Set<string | undefined>(jobs);
    for (const remote of Array.from(this.#open.values())) {
      if (!gone.has(remote.job)) remote.missed = 0;
      else if (++remote.missed > 2) {
        this.#close(remote);
        this.#hand(remote, { failure: lostFailure, ms: 0 });
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

  /** Adds what was sent in this turn as jobs, a few for each worker. A retry has its own: it may end its worker again. */
  #add(): void {
    const sent = this.#adding.filter(({ page }) => this.#open.has(page.id));
    this.#adding = [];
    const suspects = sent.filter((remote) => this.#suspects.includes(remote));
    const remotes = suspects.length === 0 ? sent : sent.filter((remote) => !suspects.includes(remote));
    this.#suspects.take(suspects);
    const shared = remotes.filter(({ isRetry }) => !isRetry);
    const size = Math.min(pagesPerJob(Math.min(...this.slots)), Math.ceil(shared.length / Math.max(1, this.slots.length)));
    const jobs = remotes.filter(({ isRetry }) => isRetry).map((remote) => [remote]);
    for (let from = 0; from < shared.length; from += size) jobs.push(shared.slice(from, from + size));
    if (jobs.length > 0) this.#addJobs(jobs);
  }

  #addJobs(jobs: readonly (readonly Remote[])[]): void {
    for (const job of jobs) for (const remote of job) remote.job = jobId(job.map(({ page }) => page));
    this.#queue.add(jobs.map((job) => job.map(({ page }) => page)));
  }

  /** The page of that id, or those pages of the job that have no result. */
  #openOf(id: string): readonly Remote[] {
    const remote = this.#open.get(id);
    if (remote !== undefined) return [remote];
    return this.#isOver(id) ? [] : Array.from(this.#open.values()).filter(({ job }) => job === id);
  }

  #close(remote: Remote): void {
    const { id } = remote.page;
    this.#open.delete(id);
    this.#suspects.left(remote);
    this.#had.add(id);
    if (this.#had.size < mostEarly) return;
    this.#hadBefore = this.#had;
    this.#had = new Set();
  }

  #isOver(id: string): boolean {
    return this.#had.has(id) || this.#hadBefore.has(id);
  }
}

function read(parts: readonly Buffer[]): Result {
  try {
    return decodeResult(parts);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { failure: { ...lostFailure, what: `what a worker brought can't be read: ${why}` }, ms: 0 };
  }
}
