import { Queue } from 'bullmq';
import { jobId, type JobData, type PageData } from './JobData.ts';
import { type LeaderKeys, LeaderScripts } from './LeaderScripts.ts';
import { commandMs, connectionOf, type QueueConnection, within } from './QueueConnection.ts';
import { queueFormat } from './Result.ts';
import { ResultReader, type Entry } from './ResultReader.ts';

/** What an earlier leader left: results, and the job of each page that is under way. */
export interface QueueRemains {
  readonly entries: readonly Entry[];
  readonly running: ReadonlyMap<string, string>;
}

const keptJobs = 1000;

/** The leader's side of a queue: jobs out, results in. Every call ends within seconds, with an error if Redis is away. */
export class LeaderQueue {
  readonly #queue: Queue<JobData>;
  readonly #identity: string;
  readonly #results: ResultReader;
  readonly #keys: LeaderKeys;
  #redis: LeaderScripts | undefined;
  #why = 'no connection';
  #leads = false;
  #closed = false;

  /** `identity` stays the same when a run resumes. Any other run has a different one. */
  constructor(name: string, queue: QueueConnection, identity: string) {
    this.#identity = identity;
    this.#queue = new Queue<JobData>(name, {
      connection: connectionOf(queue, { enableOfflineQueue: false, maxRetriesPerRequest: 1 }),
      // BullMQ would ask for the version once, and never be ready if Redis went away just then.
      skipVersionCheck: true,
      streams: { events: { maxLen: 1000 } },
      defaultJobOptions: { attempts: 1, removeOnComplete: { count: keptJobs }, removeOnFail: { count: keptJobs } },
    });
    this.#queue.on('error', (error) => {
      this.#why = (error as NodeJS.ErrnoException).code ?? error.message;
    });
    this.#keys = {
      lock: this.#queue.toKey('leader'),
      run: this.#queue.toKey('run'),
      results: this.#queue.toKey('results'),
      job: this.#queue.toKey(''),
    };
    this.#results = new ResultReader(this.#keys.results);
  }

  /** The last message of the connection. */
  get why(): string {
    return this.#why;
  }

  /**
   * Takes the lead and the queue for this run. On resume, it keeps what an earlier leader of this run left. The rest is
   * thrown away. Returns that, or the other run that leads.
   */
  async prepare(resumed: boolean): Promise<QueueRemains | { readonly leader: string }> {
    const redis = await this.#ready();
    const { leader } = await this.#lead(redis, []);
    if (leader !== undefined) return { leader };
    const isOurs = await redis.take();
    if (resumed && isOurs) {
      // Running jobs and results stay. Waiting jobs are added again when their turn comes.
      await within(commandMs, this.#queue.drain());
      await within(commandMs, this.#queue.clean(0, 0, 'completed'));
      await within(commandMs, this.#queue.clean(0, 0, 'failed'));
    } else {
      await within(commandMs, redis.client.del(this.#keys.results));
      await within(5 * commandMs, this.#queue.obliterate({ force: true }));
    }
    const running = await within(commandMs, this.#queue.getActive());
    const entries = await this.#results.all(redis.client);
    return { entries, running: new Map(running.flatMap(({ id, data }) => data.pages.map((page) => [page.id, id!] as const))) };
  }

  /** Says that it still leads. Returns the name of each present worker, and the jobs that will bring no more results. */
  async keepLead(
    jobs: readonly string[],
  ): Promise<{ readonly workers: readonly (string | undefined)[]; readonly gone: readonly string[] } | { readonly leader: string }> {
    const lead = await this.#lead(await this.#ready(), jobs);
    if (lead.leader !== undefined) return { leader: lead.leader };
    const workers = (await within(commandMs, this.#queue.getWorkers())) as { readonly rawname?: string }[];
    return { workers: workers.map(({ rawname }) => rawname), gone: lead.gone };
  }

  /** Adds jobs of these pages. A later check in Redis shows whether that worked. */
  add(jobs: readonly (readonly PageData[])[]): void {
    if (this.#closed) return;
    const added = jobs.map((pages) => ({ name: pages[0]!.stage, data: { format: queueFormat, pages }, opts: { jobId: jobId(pages) } }));
    this.#queue.addBulk(added).catch(() => undefined);
  }

  /** The next results. Waits up to a second for them. */
  async next(): Promise<readonly Entry[]> {
    return this.#results.next((await this.#ready()).client);
  }

  /** Deletes results that are safe elsewhere or useless. */
  async drop(at: readonly string[]): Promise<void> {
    if (at.length > 0) await (await this.#ready()).drop(at);
  }

  /** Removes waiting jobs and gives up the lead. `finished`: leaves nothing in Redis. */
  async close(finished: boolean): Promise<void> {
    this.#closed = true;
    try {
      if (this.#redis !== undefined && this.#leads) {
        await within(commandMs, this.#queue.drain());
        if (finished) {
          await within(5 * commandMs, this.#queue.obliterate({ force: true }));
          await within(commandMs, this.#redis.client.del(this.#keys.results, this.#keys.run));
        }
        await this.#redis.leave();
      }
    } catch {
      // Redis is away: the lock expires by itself, and the next leader cleans up.
    }
    this.#results.close();
    await within(commandMs, this.#queue.close()).catch(() => this.#queue.disconnect());
  }

  async #ready(): Promise<LeaderScripts> {
    return (this.#redis ??= new LeaderScripts(await within(commandMs, this.#queue.getBackend().client), this.#keys, this.#identity));
  }

  async #lead(redis: LeaderScripts, jobs: readonly string[]): ReturnType<LeaderScripts['lead']> {
    if (this.#closed) return { leader: undefined, gone: [] };
    const lead = await redis.lead(jobs, this.#results.last);
    this.#leads = lead.leader === undefined;
    return lead;
  }
}
