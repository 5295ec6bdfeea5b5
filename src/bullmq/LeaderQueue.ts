import { Queue, type IRedisClient } from 'bullmq';
import type { JobData } from './JobData.ts';
import { connectionOf, type QueueConnection } from './QueueConnection.ts';
import { scripts } from './scripts.ts';
import { within } from './within.ts';

/** A result stored in Redis. */
export interface Entry {
  /** Its position in the stream. */
  readonly at: string;
  readonly job: string;
  /** It holds a response, not a failure. */
  readonly good: boolean;
  /** From sending the request to the last byte of the response. */
  readonly ms: number;
  readonly body: string;
}

const lockMs = 3000;
const commandMs = 2000;
const blockMs = 1000;
const batch = 200;
const keptJobs = 1000;

/** The leader's side of a queue: jobs out, results in. Every call ends within seconds, with an error if Redis is away. */
export class LeaderQueue {
  readonly #queue: Queue<JobData>;
  readonly #identity: string;
  readonly #keys: { readonly lock: string; readonly run: string; readonly results: string; readonly job: string };
  #client: IRedisClient | undefined;
  #reader: IRedisClient | undefined;
  #last = '0-0';
  #adding: { readonly id: string; readonly data: JobData }[] = [];
  #why = 'no connection';
  #leads = false;
  #closed = false;

  /** `identity` stays the same when a run resumes. Any other run has a different one. */
  constructor(name: string, queue: QueueConnection, identity: string) {
    this.#identity = identity;
    this.#queue = new Queue<JobData>(name, {
      connection: connectionOf(queue, { enableOfflineQueue: false, maxRetriesPerRequest: 1 }),
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
  }

  /** The last message of the connection. */
  get why(): string {
    return this.#why;
  }

  /**
   * Takes the lead and claims the queue for this run. On resume, it keeps what an earlier leader of this run left. The rest is
   * thrown away. Returns the existing results, or the other run that leads.
   */
  async prepare(resumed: boolean): Promise<{ readonly entries: readonly Entry[] } | { readonly leader: string }> {
    const client = await this.#ready();
    const [holder] = await this.#lead(client, []);
    if (holder !== '') return { leader: holder! };
    const known = await this.#run<number>(client, 'trawlerClaim', this.#keys.run, this.#identity);
    if (resumed && known === 1) {
      // Running jobs and results stay. Waiting jobs are added again when their turn comes.
      await within(commandMs, this.#queue.drain());
      await within(commandMs, this.#queue.clean(0, 0, 'completed'));
      await within(commandMs, this.#queue.clean(0, 0, 'failed'));
    } else {
      await within(commandMs, client.del(this.#keys.results));
      await within(5 * commandMs, this.#queue.obliterate({ force: true }));
    }
    const entries: Entry[] = [];
    for (let more = await this.#read(client); more.length > 0; more = await this.#read(client)) entries.push(...more);
    return { entries };
  }

  /** Keeps the lead. Returns the slots of the present workers, and the jobs that no worker will finish. */
  async look(jobs: readonly string[]): Promise<{ readonly slots: number; readonly gone: readonly string[] } | { readonly leader: string }> {
    const client = await this.#ready();
    const [holder, ...gone] = await this.#lead(client, jobs);
    if (holder !== '') return { leader: holder! };
    const workers = (await within(commandMs, this.#queue.getWorkers())) as { readonly rawname?: string }[];
    return { slots: workers.reduce((sum, { rawname }) => sum + slotsOf(rawname), 0), gone };
  }

  /** Adds a job soon, together with others. A later check in Redis shows whether that worked. */
  add(id: string, data: JobData): void {
    this.#adding.push({ id, data });
    if (this.#adding.length === 1) setImmediate(() => this.#flush());
  }

  /** The next results. Waits up to a second for them. */
  async next(): Promise<readonly Entry[]> {
    const client = await this.#ready();
    if (this.#reader === undefined) {
      this.#reader = client.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null, commandTimeout: blockMs + commandMs });
      this.#reader.on('error', () => undefined);
    }
    return this.#read(this.#reader, blockMs);
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
    this.#adding = [];
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
    this.#reader?.disconnect();
    await within(commandMs, this.#queue.close()).catch(() => this.#queue.disconnect());
  }

  async #ready(): Promise<IRedisClient> {
    if (this.#client !== undefined) return this.#client;
    const client = await within(commandMs, this.#queue.getBackend().client);
    for (const [name, script] of Object.entries(scripts)) client.defineCommand(name, script);
    return (this.#client = client);
  }

  async #lead(client: IRedisClient, jobs: readonly string[]): Promise<string[]> {
    const { lock, job } = this.#keys;
    const response = await this.#run<string[]>(client, 'trawlerLead', lock, this.#identity, lockMs, job, ...jobs);
    this.#leads = response[0] === '';
    return response;
  }

  async #run<T>(client: IRedisClient, script: keyof typeof scripts, ...args: (string | number)[]): Promise<T> {
    return (await within(commandMs, client.runCommand(script, args))) as T;
  }

  #flush(): void {
    const jobs = this.#adding.map(({ id, data }) => ({ name: data.stage, data, opts: { jobId: id } }));
    this.#adding = [];
    if (jobs.length > 0 && !this.#closed) this.#queue.addBulk(jobs).catch(() => undefined);
  }

  async #read(client: IRedisClient, block?: number): Promise<Entry[]> {
    const streams = [{ key: this.#keys.results, id: this.#last }];
    const read = client.xread(streams, block === undefined ? { COUNT: batch } : { COUNT: batch, BLOCK: block });
    const response = (await within(commandMs + (block ?? 0), read)) as [string, [string, string[]][]][] | null;
    const entries = (response?.[0]?.[1] ?? []).map(([at, fields]) => entryOf(at, fields));
    this.#last = entries.at(-1)?.at ?? this.#last;
    return entries;
  }
}

function entryOf(at: string, fields: readonly string[]): Entry {
  const named: { [name: string]: string } = {};
  for (let i = 0; i + 1 < fields.length; i += 2) named[fields[i]!] = fields[i + 1]!;
  const { job = '', good, ms = '0', body = '' } = named;
  return { at, job, good: good === '1', ms: Number(ms), body };
}

/** A worker's name holds its number of parallel jobs. If names can't be read, assume one worker with default settings. */
function slotsOf(name: string | undefined): number {
  return Number(/x(\d+)$/.exec(name ?? '')?.[1] ?? 8);
}
