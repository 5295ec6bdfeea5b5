import { Queue, type IRedisClient } from 'bullmq';
import { jobId, type JobData, type PageData } from './JobData.ts';
import { commandMs, connectionOf, type QueueConnection, within } from './QueueConnection.ts';
import { queueFormat } from './Result.ts';
import { ResultReader, type Entry } from './ResultReader.ts';

/** What an earlier leader left: results, and the job of each page that is under way. */
export interface QueueRemains {
  readonly entries: readonly Entry[];
  readonly running: ReadonlyMap<string, string>;
}

const lockMs = 3000;
const keptJobs = 1000;
const usualSlots = 8;

/** The leader's side of a queue: jobs out, results in. Every call ends within seconds, with an error if Redis is away. */
export class LeaderQueue {
  readonly #queue: Queue<JobData>;
  readonly #identity: string;
  readonly #results: ResultReader;
  readonly #keys: { readonly lock: string; readonly run: string; readonly results: string; readonly job: string };
  #client: IRedisClient | undefined;
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
    const client = await this.#ready();
    const [holder] = await this.#lead(client, []);
    if (holder !== '') return { leader: holder! };
    const known = await this.#run<number>(client, 'trawlerTake', this.#keys.run, this.#identity);
    if (resumed && known === 1) {
      // Running jobs and results stay. Waiting jobs are added again when their turn comes.
      await within(commandMs, this.#queue.drain());
      await within(commandMs, this.#queue.clean(0, 0, 'completed'));
      await within(commandMs, this.#queue.clean(0, 0, 'failed'));
    } else {
      await within(commandMs, client.del(this.#keys.results));
      await within(5 * commandMs, this.#queue.obliterate({ force: true }));
    }
    const running = await within(commandMs, this.#queue.getActive());
    const entries = await this.#results.all(client);
    return { entries, running: new Map(running.flatMap(({ id, data }) => data.pages.map((page) => [page.id, id!] as const))) };
  }

  /** Keeps the lead. Returns the slots of each present worker, and the jobs that will bring no more results. */
  async look(
    jobs: readonly string[],
  ): Promise<{ readonly slots: readonly number[]; readonly gone: readonly string[] } | { readonly leader: string }> {
    const client = await this.#ready();
    const [holder, ...gone] = await this.#lead(client, jobs);
    if (holder !== '') return { leader: holder! };
    const workers = (await within(commandMs, this.#queue.getWorkers())) as { readonly rawname?: string }[];
    return { slots: workers.map(({ rawname }) => slotsOf(rawname)), gone };
  }

  /** Adds jobs of these pages. A later check in Redis shows whether that worked. */
  add(jobs: readonly (readonly PageData[])[]): void {
    if (this.#closed) return;
    const added = jobs.map((pages) => ({ name: pages[0]!.stage, data: { format: queueFormat, pages }, opts: { jobId: jobId(pages) } }));
    this.#queue.addBulk(added).catch(() => undefined);
  }

  /** The next results. Waits up to a second for them. */
  async next(): Promise<readonly Entry[]> {
    return this.#results.next(await this.#ready());
  }

  /** Deletes results that are safe elsewhere or useless. */
  async drop(at: readonly string[]): Promise<void> {
    if (at.length === 0) return;
    const client = await this.#ready();
    for (let from = 0; from < at.length; from += 1000) {
      await this.#run(client, 'trawlerDrop', this.#keys.results, ...at.slice(from, from + 1000));
    }
  }

  /** Removes waiting jobs and gives up the lead. `finished`: leaves nothing in Redis. */
  async close(finished: boolean): Promise<void> {
    this.#closed = true;
    try {
      if (this.#client !== undefined && this.#leads) {
        await within(commandMs, this.#queue.drain());
        if (finished) {
          await within(5 * commandMs, this.#queue.obliterate({ force: true }));
          await within(commandMs, this.#client.del(this.#keys.results, this.#keys.run));
        }
        await this.#run(this.#client, 'trawlerLeave', this.#keys.lock, this.#identity);
      }
    } catch {
      // Redis is away: the lock expires by itself, and the next leader cleans up.
    }
    this.#results.close();
    await within(commandMs, this.#queue.close()).catch(() => this.#queue.disconnect());
  }

  async #ready(): Promise<IRedisClient> {
    if (this.#client !== undefined) return this.#client;
    const client = await within(commandMs, this.#queue.getBackend().client);
    for (const [name, script] of Object.entries(scripts)) client.defineCommand(name, script);
    return (this.#client = client);
  }

  async #lead(client: IRedisClient, jobs: readonly string[]): Promise<string[]> {
    const { lock, results, job } = this.#keys;
    const response = await this.#run<string[]>(
      client,
      'trawlerLead',
      lock,
      results,
      this.#identity,
      lockMs,
      job,
      this.#results.last,
      ...jobs,
    );
    this.#leads = response[0] === '';
    return response;
  }

  async #run<T>(client: IRedisClient, script: keyof typeof scripts, ...args: (string | number)[]): Promise<T> {
    return (await within(commandMs, client.runCommand(script, args))) as T;
  }
}

/** A worker's name holds its number of parallel jobs. If names can't be read, assume one worker with default settings. */
function slotsOf(name: string | undefined): number {
  return Number(/x(\d+)$/.exec(name ?? '')?.[1] ?? usualSlots);
}

/** Lua scripts that BullMQ lacks. All keys share the queue's hash slot. */
const scripts: {
  readonly [name in 'trawlerLead' | 'trawlerTake' | 'trawlerDrop' | 'trawlerLeave']: {
    readonly numberOfKeys: number;
    readonly lua: string;
  };
} = {
  /**
   * KEYS: the leader's lock, the results. ARGV: identity, lock in milliseconds, prefix of job keys, the last result that was
   * read, then job ids. Returns the other run that leads, or '' and then the ids of jobs that will bring no more results.
   */
  trawlerLead: {
    numberOfKeys: 2,
    lua: `
      local holder = redis.call('GET', KEYS[1])
      if holder and holder ~= ARGV[1] then return {holder} end
      redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
      local gone = {''}
      local allRead = #redis.call('XRANGE', KEYS[2], '(' .. ARGV[4], '+', 'COUNT', 1) == 0
      local over = allRead and 'finishedOn' or 'failedReason'
      for i = 5, #ARGV do
        local job = ARGV[3] .. ARGV[i]
        if redis.call('EXISTS', job) == 0 or redis.call('HEXISTS', job, over) == 1 then gone[#gone + 1] = ARGV[i] end
      end
      return gone`,
  },
  /**
   * KEYS: the run's identity. ARGV: identity. Takes the results for this run. Returns whether they were this run's already.
   */
  trawlerTake: {
    numberOfKeys: 1,
    lua: `
      local known = redis.call('GET', KEYS[1]) == ARGV[1]
      redis.call('SET', KEYS[1], ARGV[1])
      return known and 1 or 0`,
  },
  /** KEYS: the results. ARGV: ids of entries. */
  trawlerDrop: { numberOfKeys: 1, lua: `return redis.call('XDEL', KEYS[1], unpack(ARGV))` },
  /** KEYS: the leader's lock. ARGV: identity. */
  trawlerLeave: { numberOfKeys: 1, lua: `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1` },
};
