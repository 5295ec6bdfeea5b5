import type { MakeAttempt } from '../client/ClientCore.ts';
import type { Clock } from '../client/Clock.ts';
import { jobId, pageId, type PageData } from './JobData.ts';
import { lostFailure, decodeResult, type Result } from './Result.ts';
import type { LeaderQueue, QueueRemains } from './LeaderQueue.ts';
import { Remote } from './Remote.ts';
import type { Entry } from './Broker.ts';
import type { Trouble } from '../client/attempt/Trouble.ts';
import { messageOf } from '../errors/TrawlerError.ts';
import type { AttemptOwner } from '../client/attempt/AttemptFailure.ts';

const maxEarly = 4096; // responses that are kept until their page is requested
const maxMissed = 2; // how often a job may be missing: it may still be on its way to the queue
const recent = 4096; // how many ids of finished pages are remembered, to recognize repeated results

/**
 * The attempts of a client whose requests are sent by workers. Attempts that start in one turn of the event loop share jobs. Only the
 * first result of a page counts: repeated and late ones are thrown away. After a resume, a response may come before its page is
 * requested. It is kept until then.
 */
export class RemoteAttempts {
  readonly make: MakeAttempt;
  /** How many requests each worker sends at once. Pages are shared evenly. */
  slots: readonly number[] = [];
  /** What the leader's client knows of the workers' key. */
  key: Pick<Trouble, 'workingKey' | 'keyWorks'> | undefined;
  readonly #queue: LeaderQueue;
  readonly #clock: Clock;
  /** Distinguishes pages of this leader from those of earlier ones. */
  readonly #leader: string;
  readonly #open = new Map<string, Remote>();
  readonly #over = new RecentIds(recent);
  readonly #early = new Map<string, { readonly result: Result; readonly entry: HeldEntry }>();
  readonly #entries: HeldEntries;
  /** The pages that workers are still requesting for an earlier leader, and their jobs. */
  readonly #running = new Map<string, string>();
  /** Attempts that wait until `#running` is empty. */
  #held: Remote[] = [];
  #adding: Remote[] = [];
  readonly #poison = new PoisonPages((remote) => this.#addJobs([[remote]]));

  constructor(queue: LeaderQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
    this.#leader = clock.wall().toString(36);
    this.#entries = new HeldEntries((at) => queue.drop(at));
    this.make = (owner, request) => new Remote(this, owner, request);
  }

  /**
   * An id that no page of this leader has had, because a walk may request a page twice. `renews`: no page of an earlier leader has had it
   * either.
   */
  freeId(page: Omit<PageData, 'id'>, attempt: number, renews: boolean): string {
    const id = renews ? `${pageId(page, attempt)}-${this.#leader}` : pageId(page, attempt);
    return this.#open.has(id) || this.#over.has(id) ? this.freeId(page, attempt + 1, renews) : id;
  }

  /** Pages without a result. */
  get size(): number {
    return this.#open.size;
  }

  get workingKey(): string | undefined {
    return this.key?.workingKey;
  }

  now(): number {
    return this.#clock.now();
  }

  /** Takes over what an earlier leader left. */
  resume({ entries, running }: QueueRemains): void {
    for (const [page, job] of running) this.#running.set(page, job);
    this.receive(entries);
  }

  send(remote: Remote): void {
    const { id } = remote.page;
    this.#open.set(id, remote);
    // It starts a walk over. If the service counts the pages of a walk, a page that a worker still requests would count in the new one.
    if (remote.renews && this.#running.size > 0) return void this.#held.push(remote);
    const early = this.#early.get(id);
    remote.job = this.#running.get(id);
    if (early !== undefined) {
      this.#early.delete(id);
      // Later, because the sender isn't ready for a response yet.
      setImmediate(() => this.#receive(id, early.result, early.entry));
    } else if (remote.job === undefined) this.#addLater(remote);
  }

  abort(remote: Remote): void {
    if (this.#open.get(remote.page.id) === remote) this.#open.delete(remote.page.id);
    this.#poison.left(remote);
  }

  receive(entries: readonly Entry[]): void {
    for (const { at, results } of entries) {
      const entry = { at, left: results.length, useful: false };
      // A repeated result isn't decoded.
      for (const [of, parts] of results) this.#receive(of, this.#over.has(of) ? undefined : read(parts), entry);
    }
  }

  #receive(of: string, result: Result | undefined, entry: HeldEntry): void {
    this.#earlierEnded(of);
    const remotes = this.#openOf(of);
    const good = result !== undefined && 'response' in result;
    if (remotes.length === 0 && good && this.#early.size < maxEarly) {
      this.#early.set(of, { result, entry });
      return;
    }
    this.#entries.used(entry, good && remotes.length > 0);
    if (result === undefined) return;
    for (const remote of remotes) {
      this.#close(remote);
      this.#passOn(remote, result);
    }
  }

  /** Passes a result to its attempt. A result that can't be used fails only its own query. */
  #passOn(remote: Remote, result: Result): void {
    if ('failure' in result && result.failure.kind === 'lost') this.#poison.lost(remote);
    if ('response' in result && result.key !== undefined) this.key?.keyWorks(result.key);
    try {
      remote.end(result);
    } catch (error) {
      try {
        remote.end({ failure: { ...lostFailure, what: `the result of a worker can't be taken: ${String(error)}` }, ms: result.ms });
      } catch (cause) {
        // Thrown later, so that the other results are still handled. Without it, the query would wait for ever.
        setImmediate(() => {
          throw cause;
        });
      }
    }
  }

  /** The jobs that should be in the queue. */
  open(): readonly string[] {
    const jobs = new Set(this.#running.values());
    for (const { job } of this.#open.values()) if (job !== undefined) jobs.add(job);
    return [...jobs];
  }

  /** Says that these jobs are gone from the queue. */
  gone(jobs: readonly string[]): void {
    const gone = new Set<string | undefined>(jobs);
    for (const job of jobs) this.#earlierEnded(job);
    for (const remote of Array.from(this.#open.values())) {
      if (!gone.has(remote.job)) remote.missed = 0;
      else if (++remote.missed > maxMissed) {
        this.#close(remote);
        this.#passOn(remote, { failure: lostFailure, ms: 0 });
      }
    }
  }

  /** Says that the run has made a commit. */
  committed(): void {
    this.#entries.committed();
  }

  /** Called when the run has ended without an error. */
  settle(): Promise<void> {
    return this.#entries.settle();
  }

  /** Notes that a page or a job of an earlier leader has ended. After the last one, attempts that waited for that are added. */
  #earlierEnded(of: string): void {
    if (this.#running.size === 0) return;
    for (const [page, job] of this.#running) if (page === of || job === of) this.#running.delete(page);
    if (this.#running.size > 0) return;
    for (const remote of this.#held) this.#addLater(remote);
    this.#held = [];
  }

  #addLater(remote: Remote): void {
    this.#adding.push(remote);
    if (this.#adding.length === 1) setImmediate(() => this.#add());
  }

  /** Adds the pages that were sent in this turn as jobs. */
  #add(): void {
    const sent = this.#adding.filter(({ page }) => this.#open.has(page.id));
    this.#adding = [];
    const suspects = new Set(sent.filter((remote) => this.#poison.includes(remote)));
    this.#poison.take([...suspects]);
    const jobs = shareJobs(suspects.size === 0 ? sent : sent.filter((remote) => !suspects.has(remote)), this.slots);
    if (jobs.length > 0) this.#addJobs(jobs);
  }

  #addJobs(jobs: readonly (readonly Remote[])[]): void {
    for (const job of jobs) for (const remote of job) remote.job = jobId(job.map(({ page }) => page));
    this.#queue.add(jobs.map((job) => job.map(({ page }) => page)));
  }

  /** The open attempt with that id, or all open attempts of the job with that id. */
  #openOf(id: string): readonly Remote[] {
    const remote = this.#open.get(id);
    if (remote !== undefined) return [remote];
    return this.#over.has(id) ? [] : Array.from(this.#open.values()).filter(({ job }) => job === id);
  }

  #close(remote: Remote): void {
    const { id } = remote.page;
    this.#open.delete(id);
    this.#poison.left(remote);
    this.#over.add(id);
  }
}

function read(parts: readonly Buffer[]): Result {
  try {
    return decodeResult(parts);
  } catch (error) {
    const why = messageOf(error);
    return { failure: { ...lostFailure, what: `the result of a worker can't be read: ${why}` }, ms: 0 };
  }
}

/** An entry of the queue whose results aren't all handled yet. */
interface HeldEntry {
  readonly at: string;
  /** How many of its results aren't handled yet. */
  left: number;
  /** Whether one of its results was passed on. */
  useful: boolean;
}

/** Entries stay in the queue until their rows are safe on disk. Entries without a useful result are deleted at once. */
class HeldEntries {
  readonly #drop: (at: readonly string[]) => Promise<void>;
  /** Entries that were passed on before the commit that is under way began, and since then. */
  #older: string[] = [];
  #newer: string[] = [];

  constructor(drop: (at: readonly string[]) => Promise<void>) {
    this.#drop = (at) => drop(at).catch(() => undefined);
  }

  /** A result of the entry was used, or thrown away. */
  used(entry: HeldEntry, useful: boolean): void {
    entry.left -= 1;
    entry.useful ||= useful;
    if (entry.left > 0) return;
    if (entry.useful) this.#newer.push(entry.at);
    else void this.#drop([entry.at]);
  }

  /** Called after a commit. What was passed on before it began is safe now. */
  committed(): void {
    void this.#drop(this.#older);
    this.#older = this.#newer;
    this.#newer = [];
  }

  /** Called when the run has ended without an error, so everything is safe. */
  async settle(): Promise<void> {
    const safe = [...this.#older, ...this.#newer];
    this.#older = [];
    this.#newer = [];
    await this.#drop(safe);
  }
}

/** Remembers the latest ids: at least `count` of them, and at most twice as many. */
export class RecentIds {
  readonly #count: number;
  #latest = new Set<string>();
  #before = new Set<string>();

  constructor(count: number) {
    this.#count = count;
  }

  add(id: string): void {
    this.#latest.add(id);
    if (this.#latest.size < this.#count) return;
    this.#before = this.#latest;
    this.#latest = new Set();
  }

  has(id: string): boolean {
    return this.#latest.has(id) || this.#before.has(id);
  }
}

/**
 * Pages whose worker was lost twice. Such a page may kill its worker again, and with it all other pages there. So these pages are added
 * one after the other, and a page that kills workers fails alone.
 */
class PoisonPages {
  readonly #add: (remote: Remote) => void;
  /** How often the worker of a page was lost. */
  readonly #losses = new WeakMap<AttemptOwner, number>();
  readonly #waiting = new Set<Remote>();
  #running: Remote | undefined;

  constructor(add: (remote: Remote) => void) {
    this.#add = add;
  }

  lost({ owner }: Remote): void {
    this.#losses.set(owner, (this.#losses.get(owner) ?? 0) + 1);
  }

  includes({ owner }: Remote): boolean {
    return (this.#losses.get(owner) ?? 0) > 1;
  }

  take(remotes: readonly Remote[]): void {
    for (const remote of remotes) this.#waiting.add(remote);
    this.#next();
  }

  /** A page has its result, or is no longer needed. */
  left(remote: Remote): void {
    this.#waiting.delete(remote);
    if (this.#running !== remote) return;
    this.#running = undefined;
    this.#next();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#running = next;
    this.#add(next);
  }
}

const maxPages = 16;

/**
 * Divides pages into jobs, an equal share for each worker. Jobs are small, so that every worker has a few. A retry gets a job of its
 * own, because it may kill its worker again. `slots`: how many requests each worker sends at once.
 */
export function shareJobs<Page extends { readonly isRetry: boolean }>(pages: readonly Page[], slots: readonly number[]): Page[][] {
  const shared = pages.filter(({ isRetry }) => !isRetry);
  const jobs = pages.filter(({ isRetry }) => isRetry).map((page) => [page]);
  const fair = Math.ceil(shared.length / Math.max(1, slots.length));
  const size = Math.max(1, Math.min(maxPages, Math.ceil(Math.min(...slots) / 2), fair));
  for (let from = 0; from < shared.length; from += size) jobs.push(shared.slice(from, from + size));
  return jobs;
}
