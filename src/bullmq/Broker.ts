import type { Queue, Worker, WorkerOptions } from 'bullmq';
import type { JobData, PageData } from './JobData.ts';

/**
 * A database that holds queues. BullMQ keeps the jobs in it. Our own code keeps the rest: who leads, which run a queue belongs to, the
 * results, and which jobs are gone.
 */
export interface Broker {
  /** Its kind, host and port, for messages. It has no user name and no password. */
  readonly name: string;
  /** The leader's side of a queue. `leader`: who it is. */
  lead(queue: string, leader: string): LeaderSide;
  /** A worker's side of a queue. */
  work(queue: string, perform: Perform, options: WorkerSettings): WorkerSide;
  /** Makes what a queue needs there, or brings it up to date. */
  init(): Promise<void>;
  /** Why waiting doesn't help after this error, and what to do. undefined: waiting may help. */
  hopeless(error: unknown): string | undefined;
}

/** A job that a worker has taken. */
export interface TakenJob {
  readonly id?: string | undefined;
  readonly data: JobData;
  /** How often workers took it, this time included. */
  readonly attemptsStarted: number;
}

export type Perform = (job: TakenJob) => Promise<object>;

export type WorkerSettings = Omit<WorkerOptions, 'connection'> & { readonly name: string };

/** Results that were stored together. */
export interface Entry {
  /** Its position in the queue's results. */
  readonly at: string;
  /** Each result in parts. `of` is the id of its page, or of a job if it is for all pages of the job. */
  readonly results: readonly (readonly [of: string, parts: readonly Buffer[]])[];
}

export interface Lead {
  /** The name of each worker that is there. undefined for a name that can't be read. */
  readonly workers: readonly (string | undefined)[];
  /** The jobs that will bring no more results. */
  readonly gone: readonly string[];
}

/** The leader's side of a queue. Calls end within seconds, with an error if the database is away. */
export interface LeaderSide {
  readonly queue: Pick<Queue<JobData>, 'drain' | 'clean' | 'obliterate' | 'on' | 'close' | 'disconnect'>;
  /** Adds a job for each list of pages. */
  add(jobs: readonly AddedJob[]): Promise<unknown>;
  /** The jobs that workers have. */
  active(): Promise<readonly Pick<TakenJob, 'id' | 'data'>[]>;
  /** Takes or keeps the lead, and lets workers add results. Returns `leader` if another run leads. `jobs`: those to check for `gone`. */
  lead(jobs: readonly string[]): Promise<Lead | { readonly leader: string }>;
  /** Says that the queue belongs to a run. Returns whether it did before. */
  take(run: string): Promise<boolean>;
  /** All results that are there now. */
  all(): Promise<Entry[]>;
  /** The next results. Waits up to a second for them. */
  next(): Promise<Entry[]>;
  drop(at: readonly string[]): Promise<void>;
  dropAll(): Promise<void>;
  /** Gives up the lead. `finished`: also deletes the results, and the queue belongs to no run. */
  leave(finished: boolean): Promise<void>;
  close(): void;
}

export interface AddedJob {
  readonly name: string;
  readonly data: { readonly format: number; readonly pages: readonly PageData[] };
  readonly opts: { readonly jobId: string };
}

export interface WorkerSide {
  readonly worker: Pick<Worker<JobData>, 'concurrency' | 'on' | 'once' | 'pause' | 'resume' | 'close' | 'disconnect'>;
  /** Says that this worker is there. Returns who leads. Rejects if the database is away. */
  look(): Promise<string | undefined>;
  /** Stores results: names and values in turn. Waits while the database is away. `always`: even if no leader takes results. */
  add(fields: readonly (string | Buffer)[], always: boolean): Promise<unknown>;
}

/** How long a command may take while the database is there. */
export const commandMs = 2000;

/** Waits for a promise, but not longer than `ms`. While the database is away, a command may never end. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Makes an entry of the names and values that `WorkerSide.add` stored. A value without a name is another part of the result before it. */
export function resultsIn(at: string, fields: readonly Buffer[]): Entry {
  const results: [string, Buffer[]][] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i]!.toString('latin1');
    if (name === '' && results.length > 0) results.at(-1)![1].push(fields[i + 1]!);
    else results.push([name, [fields[i + 1]!]]);
  }
  return { at, results };
}

/** How long the lead lasts if it isn't renewed. */
export const leadMs = 3000;

/** How long `next` waits. */
export const nextMs = 1000;
