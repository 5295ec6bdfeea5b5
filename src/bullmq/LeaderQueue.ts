import { Queue, type IRedisClient } from 'bullmq';
import type { JobData } from './JobData.ts';
import { connectionOf, type QueueConnection } from './QueueConnection.ts';
import { scripts } from './scripts.ts';
import { within } from './within.ts';

/** A result as it lies in Redis. */
export interface Entry {
  /** Its place. */
  readonly at: string;
  readonly job: string;
  /** It holds an answer, and not a failure. */
  readonly good: boolean;
  /** From sending the request to its last byte. */
  readonly ms: number;
  readonly body: string;
}

const lockMs = 3000;
const commandMs = 2000;
const blockMs = 1000;
const batch = 200;
const keptJobs = 1000;

/** The leader's side of a queue: jobs out, results in. Every call ends within seconds, with an error where Redis is away. */
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

  /** `identity` is the same for the same run when it goes on, and another one for any other run. */
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

  /** The last thing that the connection said. */
  get why(): string {
    return this.#why;
  }

  /**
   * Takes the lead and makes the queue this run's: what an earlier leader of it left is kept when it goes on, and all else is
   * thrown away. Gives the results that are there already; or who leads.
   */
  async prepare(resumed: boolean): Promise<{ readonly entries: readonly Entry[] } | { readonly leader: string }> {
    const client = await this.#ready();
    const [holder] = await this.#lead(client, []);
    if (holder !== '') return { leader: holder! };
    const known = await this.#run<number>(client, 'trawlerClaim', this.#keys.run, this.#identity);
    if (resumed && known === 1) {
      // Jobs under way stay, and so do results; what only waits is added again when its turn comes.
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

  /** Keeps the lead. Gives the slots of the workers there are, and which of the jobs nobody will do any more. */
  async look(jobs: readonly string[]): Promise<{ readonly slots: number; readonly gone: readonly string[] } | { readonly leader: string }> {
    const client = await this.#ready();
    const [holder, ...gone] = await this.#lead(client, jobs);
    if (holder !== '') return { leader: holder! };
    const workers = (await within(commandMs, this.#queue.getWorkers())) as { readonly rawname?: string }[];
    return { slots: workers.reduce((sum, { rawname }) => sum + slotsOf(rawname), 0), gone };
  }

  /** Adds a job soon, with others. Whether that worked shows when it is looked for. */
  add(id: string, data: JobData): void {
    this.#adding.push({ id, data });
    if (this.#adding.length === 1) setImmediate(() => this.#flush());
  }

  /** The next results, as they come; waits a second for them. */
  async next(): Promise<readonly Entry[]> {
    const client = await this.#ready();
    if (this.#reader === undefined) {
      this.#reader = client.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null, commandTimeout: blockMs + commandMs });
      this.#reader.on('error', () => undefined);
    }
    return this.#read(this.#reader, blockMs);
  }

  /** Throws results away that are safe elsewhere, or of no use. */
  async drop(at: readonly string[]): Promise<void> {
    if (at.length === 0) return;
    const client = await this.#ready();
    for (let from = 0; from < at.length; from += 1000) {
      await this.#run(client, 'trawlerDrop', this.#keys.results, ...at.slice(from, from + 1000));
    }
  }

  /** Takes back what waits and lets others lead; `finished`: leaves nothing in Redis. */
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
      // Redis is away: the lock ends by itself, and the next leader tidies.
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
    const answer = await this.#run<string[]>(client, 'trawlerLead', lock, this.#identity, lockMs, job, ...jobs);
    this.#leads = answer[0] === '';
    return answer;
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
    const asked = [{ key: this.#keys.results, id: this.#last }];
    const read = client.xread(asked, block === undefined ? { COUNT: batch } : { COUNT: batch, BLOCK: block });
    const answer = (await within(commandMs + (block ?? 0), read)) as [string, [string, string[]][]][] | null;
    const entries = (answer?.[0]?.[1] ?? []).map(([at, fields]) => entryOf(at, fields));
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

/** A worker says in its name how many jobs it does at once; where names can't be read there is somebody, presumably. */
function slotsOf(name: string | undefined): number {
  return Number(/x(\d+)$/.exec(name ?? '')?.[1] ?? 8);
}
