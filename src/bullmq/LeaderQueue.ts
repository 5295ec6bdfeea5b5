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

/** Where the queue of a flow keeps things in Redis. All keys share its hash slot. */
interface LeaderKeys {
  readonly lock: string;
  readonly run: string;
  readonly results: string;
  /** What the key of a job begins with. */
  readonly job: string;
}

const lockMs = 3000;

/**
 * KEYS: the leader's lock, the results. ARGV: identity, lock in milliseconds, prefix of job keys, the last result that was
 * read, then job ids. Makes the stream of results: without it, workers add none. Returns the other run that leads, or '' and then the
 * ids of jobs that will bring no more results.
 */
const trawlerLead = `
  local holder = redis.call('GET', KEYS[1])
  if holder and holder ~= ARGV[1] then return {holder} end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('XDEL', KEYS[2], redis.call('XADD', KEYS[2], '*', '', '')) end
  local gone = {''}
  local allRead = #redis.call('XRANGE', KEYS[2], '(' .. ARGV[4], '+', 'COUNT', 1) == 0
  local over = allRead and 'finishedOn' or 'failedReason'
  for i = 5, #ARGV do
    local job = ARGV[3] .. ARGV[i]
    if redis.call('EXISTS', job) == 0 or redis.call('HEXISTS', job, over) == 1 then gone[#gone + 1] = ARGV[i] end
  end
  return gone`;

/** KEYS: the run's identity. ARGV: identity. Returns whether it was this run's already. */
const trawlerTake = `
  local known = redis.call('GET', KEYS[1]) == ARGV[1]
  redis.call('SET', KEYS[1], ARGV[1])
  return known and 1 or 0`;

/** KEYS: the results. ARGV: ids of entries. */
const trawlerDrop = `return redis.call('XDEL', KEYS[1], unpack(ARGV))`;

/** KEYS: the leader's lock. ARGV: identity. */
const trawlerLeave = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1`;

/** The steps of a leader that Redis must do as one, and that BullMQ lacks. */
class LeaderScripts {
  readonly client: IRedisClient;
  readonly #keys: LeaderKeys;
  readonly #identity: string;

  constructor(client: IRedisClient, keys: LeaderKeys, identity: string) {
    this.client = client;
    this.#keys = keys;
    this.#identity = identity;
    client.defineCommand('trawlerLead', { numberOfKeys: 2, lua: trawlerLead });
    client.defineCommand('trawlerTake', { numberOfKeys: 1, lua: trawlerTake });
    client.defineCommand('trawlerDrop', { numberOfKeys: 1, lua: trawlerDrop });
    client.defineCommand('trawlerLeave', { numberOfKeys: 1, lua: trawlerLeave });
  }

  /** Takes or keeps the lead. Returns the other run that leads, or the jobs that will bring no more results. */
  async lead(
    jobs: readonly string[],
    lastRead: string,
  ): Promise<{ readonly leader: string } | { readonly leader: undefined; readonly gone: readonly string[] }> {
    const { lock, results, job } = this.#keys;
    const [leader, ...gone] = await this.#run<[string, ...string[]]>(
      'trawlerLead',
      lock,
      results,
      this.#identity,
      lockMs,
      job,
      lastRead,
      ...jobs,
    );
    return leader === '' ? { leader: undefined, gone } : { leader };
  }

  /** Takes the queue for this run. Returns whether it was this run's already. */
  async take(): Promise<boolean> {
    return (await this.#run<number>('trawlerTake', this.#keys.run, this.#identity)) === 1;
  }

  /** Deletes results. */
  async drop(at: readonly string[]): Promise<void> {
    for (let from = 0; from < at.length; from += 1000) await this.#run('trawlerDrop', this.#keys.results, ...at.slice(from, from + 1000));
  }

  /** Gives up the lead. */
  async leave(): Promise<void> {
    await this.#run('trawlerLeave', this.#keys.lock, this.#identity);
  }

  async #run<T>(script: string, ...args: (string | number)[]): Promise<T> {
    return (await within(commandMs, this.client.runCommand(script, args))) as T;
  }
}
