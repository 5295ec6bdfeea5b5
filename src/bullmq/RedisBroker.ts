import { Queue, Worker, type ConnectionOptions, type IRedisClient } from 'bullmq';
import {
  commandMs,
  resultsIn,
  leadMs,
  nextMs,
  within,
  type AddedJob,
  type Broker,
  type Entry,
  type Lead,
  type LeaderSide,
  type Perform,
  type TakenJob,
  type WorkerSettings,
  type WorkerSide,
} from './Broker.ts';
import type { JobData } from './JobData.ts';

/** Queues in Redis. */
export class RedisBroker implements Broker {
  readonly name: string;
  readonly #queue: string | ConnectionOptions;

  constructor(queue: string | ConnectionOptions) {
    this.#queue = queue;
    this.name = `Redis at ${addressOf(queue)}`;
  }

  lead(queue: string, leader: string): LeaderSide {
    return new RedisLeader(queue, connectionOf(this.#queue, { enableOfflineQueue: false, maxRetriesPerRequest: 1 }), leader);
  }

  work(queue: string, perform: Perform, options: WorkerSettings): WorkerSide {
    return new RedisWorker(
      new Worker(queue, perform, { ...options, connection: connectionOf(this.#queue, { maxRetriesPerRequest: null }) }),
    );
  }

  /** Checks that Redis can be reached. It needs nothing else. */
  async init(): Promise<void> {
    const once = { maxRetriesPerRequest: 0, retryStrategy: () => null };
    const queue = new Queue('trawler', { connection: connectionOf(this.#queue, once) });
    queue.on('error', () => undefined); // awaited below
    try {
      await queue.waitUntilReady();
    } finally {
      await queue.disconnect();
    }
  }

  hopeless(error: unknown): string | undefined {
    const isMissing = error instanceof Error && error.message.includes("'ioredis'");
    return isMissing ? 'BullMQ needs a client of Redis: npm install ioredis' : undefined;
  }
}

/** A client that reads bytes, as ioredis does. BullMQ's type of it lacks that. */
interface ByteReader {
  xreadBuffer(...args: (string | number)[]): Promise<[key: Buffer, entries: [at: Buffer, fields: Buffer[]][]][] | null>;
}

/**
 * KEYS: the leader's lock, the results. ARGV: who leads, how long the lock lasts in milliseconds, prefix of job keys, the last result
 * that was read, then job ids. Creates the stream of results, without which workers add none. Returns the other run that leads, or ''
 * and then the ids of jobs that will bring no more results.
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

/** KEYS: the key that holds the run. ARGV: the run. Returns whether the queue belonged to this run already. */
const trawlerTake = `
  local known = redis.call('GET', KEYS[1]) == ARGV[1]
  redis.call('SET', KEYS[1], ARGV[1])
  return known and 1 or 0`;

/** KEYS: the results. ARGV: ids of entries. */
const trawlerDrop = `return redis.call('XDEL', KEYS[1], unpack(ARGV))`;

/** KEYS: the leader's lock. ARGV: who leaves. */
const trawlerLeave = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1`;

const batch = 100;
const keptJobs = 1000;

/** The scripts do in one step what BullMQ doesn't do. All keys share the queue's hash slot, so they work in a cluster too. */
class RedisLeader implements LeaderSide {
  readonly queue: Queue<JobData>;
  readonly #leader: string;
  readonly #lock: string;
  readonly #run: string;
  readonly #results: string;
  #client: IRedisClient | undefined;
  /** A connection of its own, because it waits for results. */
  #waiting: IRedisClient | undefined;
  /** The position of the last result that was read. */
  #last = '0-0';

  constructor(name: string, connection: ConnectionOptions, leader: string) {
    // BullMQ asks for the version only once. If Redis were away at that moment, it would never be ready.
    this.queue = new Queue(name, {
      connection,
      skipVersionCheck: true,
      streams: { events: { maxLen: 1000 } },
      defaultJobOptions: { attempts: 1, removeOnComplete: { count: keptJobs }, removeOnFail: { count: keptJobs } },
    });
    this.#leader = leader;
    this.#lock = this.queue.toKey('leader');
    this.#run = this.queue.toKey('run');
    this.#results = this.queue.toKey('results');
  }

  add(jobs: readonly AddedJob[]): Promise<unknown> {
    return this.queue.addBulk([...jobs]);
  }

  active(): Promise<readonly TakenJob[]> {
    return within(commandMs, this.queue.getActive());
  }

  async lead(jobs: readonly string[]): Promise<Lead | { readonly leader: string }> {
    const args = [this.#lock, this.#results, this.#leader, leadMs, this.queue.toKey(''), this.#last, ...jobs];
    const [leader, ...gone] = await this.#script<[string, ...string[]]>('trawlerLead', ...args);
    if (leader !== '') return { leader };
    const workers = (await within(commandMs, this.queue.getWorkers())) as { readonly rawname?: string }[];
    return { workers: workers.map(({ rawname }) => rawname), gone };
  }

  async take(run: string): Promise<boolean> {
    return (await this.#script<number>('trawlerTake', this.#run, run)) === 1;
  }

  async all(): Promise<Entry[]> {
    const client = await this.#ready();
    const entries: Entry[] = [];
    for (let more = await this.#read(client); more.length > 0; more = await this.#read(client)) entries.push(...more);
    return entries;
  }

  async next(): Promise<Entry[]> {
    const client = await this.#ready();
    if (this.#waiting === undefined) {
      this.#waiting = client.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null, commandTimeout: nextMs + commandMs });
      this.#waiting.on('error', () => undefined);
    }
    return this.#read(this.#waiting, nextMs);
  }

  async drop(at: readonly string[]): Promise<void> {
    for (let from = 0; from < at.length; from += 1000) await this.#script('trawlerDrop', this.#results, ...at.slice(from, from + 1000));
  }

  async dropAll(): Promise<void> {
    await within(commandMs, (await this.#ready()).del(this.#results));
  }

  async leave(finished: boolean): Promise<void> {
    if (finished) await within(commandMs, (await this.#ready()).del(this.#results, this.#run));
    await this.#script('trawlerLeave', this.#lock, this.#leader);
  }

  close(): void {
    this.#waiting?.disconnect();
  }

  async #read(client: IRedisClient, block?: number): Promise<Entry[]> {
    const blocking = block === undefined ? [] : ['BLOCK', block];
    const reader = client as unknown as ByteReader;
    const read = reader.xreadBuffer('COUNT', batch, ...blocking, 'STREAMS', this.#results, this.#last);
    const entries = ((await within(commandMs + (block ?? 0), read))?.[0]?.[1] ?? []).map(([at, fields]) => resultsIn(String(at), fields));
    this.#last = entries.at(-1)?.at ?? this.#last;
    return entries;
  }

  async #script<T>(script: string, ...args: (string | number)[]): Promise<T> {
    return (await within(commandMs, (await this.#ready()).runCommand(script, args))) as T;
  }

  async #ready(): Promise<IRedisClient> {
    if (this.#client !== undefined) return this.#client;
    const client = await within(commandMs, this.queue.getBackend().client);
    client.defineCommand('trawlerLead', { numberOfKeys: 2, lua: trawlerLead });
    client.defineCommand('trawlerTake', { numberOfKeys: 1, lua: trawlerTake });
    client.defineCommand('trawlerDrop', { numberOfKeys: 1, lua: trawlerDrop });
    client.defineCommand('trawlerLeave', { numberOfKeys: 1, lua: trawlerLeave });
    return (this.#client = client);
  }
}

/** A client that writes bytes, as ioredis does. BullMQ's type of it lacks that. */
interface ByteWriter {
  xadd(key: string, ...args: (string | Buffer)[]): Promise<unknown>;
}

class RedisWorker implements WorkerSide {
  readonly worker: Worker<JobData>;
  readonly #client: Promise<IRedisClient>;

  constructor(worker: Worker<JobData>) {
    this.worker = worker;
    this.#client = worker.getBackend().client;
  }

  async look(): Promise<string | undefined> {
    return (await (await this.#client).get(this.worker.toKey('leader'))) ?? undefined;
  }

  async add(fields: readonly (string | Buffer)[], always: boolean): Promise<unknown> {
    const client = (await this.#client) as unknown as ByteWriter;
    return client.xadd(this.worker.toKey('results'), ...(always ? [] : ['NOMKSTREAM']), '*', ...fields);
  }
}

/** The options to connect. `extra` are options of ioredis. A client that the user has made keeps its own options. */
function connectionOf(queue: string | ConnectionOptions, extra: object): ConnectionOptions {
  if (typeof queue !== 'string') return isClient(queue) ? queue : { retryStrategy, ...queue, ...extra };
  return { url: queue, retryStrategy, ...extra };
}

/** Host and port for messages, without user name and password. */
function addressOf(queue: string | ConnectionOptions): string {
  if (typeof queue !== 'string') {
    const { host = '127.0.0.1', port = 6379 } = (isClient(queue) ? queue.options : queue) as {
      readonly host?: string;
      readonly port?: number;
    };
    return `${host}:${port}`;
  }
  const { hostname, port } = new URL(queue);
  return `${hostname}:${port === '' ? '6379' : port}`;
}

function isClient(queue: object): queue is { readonly options: object; readonly duplicate: () => unknown } {
  return 'duplicate' in queue && 'options' in queue;
}

/** Reconnects after at most a second, because Redis may only have been restarted. */
function retryStrategy(times: number): number {
  return Math.min(100 * 2 ** Math.min(times, 6), 1000);
}
