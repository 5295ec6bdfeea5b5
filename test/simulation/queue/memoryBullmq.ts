import { EventEmitter } from 'node:events';
import type { SimulatedProcess } from '../SimulatedProcess.ts';
import type { MemoryRedis } from './MemoryRedis.ts';

/** What stands in place of `bullmq` in a simulation: of each class only what is used, with what it promises. */
let current: MemoryRedis | undefined;

/** All queues and workers are of this Redis from now on. */
export function useRedis(redis: MemoryRedis | undefined): void {
  current = redis;
}

const pollMs = 20;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A connection. */
class MemoryClient extends EventEmitter {
  readonly #redis: MemoryRedis;
  readonly #patient: boolean;
  #closed = false;

  constructor(redis: MemoryRedis, patient: boolean) {
    super();
    this.#redis = redis;
    this.#patient = patient;
  }

  defineCommand(): void {}

  duplicate(): MemoryClient {
    return new MemoryClient(this.#redis, true);
  }

  disconnect(): void {
    this.#closed = true;
  }

  get(key: string): Promise<string | null> {
    return this.#call(() => this.#redis.text(key));
  }

  del(...keys: readonly string[]): Promise<void> {
    return this.#call(() => keys.forEach((key) => this.#redis.remove(key)));
  }

  /** `args`: perhaps NOMKSTREAM, then `*` and the fields. */
  xadd(_key: string, ...args: readonly (string | Buffer)[]): Promise<void> {
    const copies = args.slice(args.indexOf('*') + 1).map((field) => Buffer.from(field as Buffer));
    return this.#call(() => {
      if (args[0] !== 'NOMKSTREAM') this.#redis.makeStream();
      this.#redis.append(copies);
    });
  }

  async xreadBuffer(...args: readonly (string | number)[]): Promise<unknown> {
    const count = args[args.indexOf('COUNT') + 1] as number;
    const block = args.includes('BLOCK') ? (args[args.indexOf('BLOCK') + 1] as number) : 0;
    const [key, last] = args.slice(args.indexOf('STREAMS') + 1) as [string, string];
    const end = this.#redis.now + block;
    for (;;) {
      const entries = await this.#call(() => this.#redis.entriesAfter(last, count));
      if (entries.length > 0) return [[Buffer.from(key), entries]];
      if (this.#redis.now >= end || this.#closed) return null;
      await wait(pollMs);
    }
  }

  /** The scripts of src/bullmq/RedisBroker.ts. */
  runCommand(script: string, args: readonly (string | number)[]): Promise<unknown> {
    const redis = this.#redis;
    const [first = '', ...rest] = args.map(String);
    const scripts: { readonly [name: string]: () => unknown } = {
      trawlerLead: () => {
        const [, identity = '', lockMs, , last = '0-0', ...jobs] = rest;
        const holder = redis.text(first);
        if (holder !== null && holder !== identity) return [holder];
        redis.setText(first, identity, Number(lockMs));
        redis.makeStream();
        return ['', ...redis.goneOf(jobs, last)];
      },
      trawlerTake: () => {
        const known = redis.text(first) === rest[0];
        redis.setText(first, rest[0]!);
        return known ? 1 : 0;
      },
      trawlerDrop: () => redis.dropEntries(rest),
      trawlerLeave: () => {
        if (redis.text(first) === rest[0]) redis.remove(first);
        return 1;
      },
    };
    return this.#call(() => scripts[script]!());
  }

  #call<Result>(act: () => Result): Promise<Result> {
    return this.#redis.call(act, this.#patient);
  }
}

class Member extends EventEmitter {
  readonly redis: MemoryRedis;
  readonly client: MemoryClient;
  readonly name: string;

  constructor(name: string, patient: boolean) {
    super();
    this.name = name;
    this.redis = current!;
    this.client = new MemoryClient(this.redis, patient);
  }

  toKey(type: string): string {
    return `bull:${this.name}:${type}`;
  }

  getBackend(): { readonly client: Promise<MemoryClient> } {
    return { client: Promise.resolve(this.client) };
  }

  async disconnect(): Promise<void> {
    this.client.disconnect();
  }
}

export class Queue extends Member {
  constructor(name: string) {
    super(name, false);
  }

  addBulk(jobs: readonly { readonly data: unknown; readonly opts: { readonly jobId: string } }[]): Promise<void> {
    const added = jobs.map(({ data, opts }) => [opts.jobId, JSON.stringify(data)] as const);
    return this.redis.call(() => added.forEach(([id, data]) => this.redis.add(id, data)), false);
  }

  drain(): Promise<void> {
    return this.redis.call(() => this.redis.removeJobs(['waiting']), false);
  }

  clean(_grace: number, _limit: number, state: 'completed' | 'failed'): Promise<void> {
    return this.redis.call(() => this.redis.removeJobs([state]), false);
  }

  obliterate(): Promise<void> {
    return this.redis.call(() => this.redis.removeJobs(['waiting', 'active', 'completed', 'failed']), false);
  }

  getActive(): Promise<readonly { readonly id: string; readonly data: unknown }[]> {
    const active = (): readonly { readonly id: string; readonly data: unknown }[] =>
      [...this.redis.jobs.values()]
        .filter(({ state }) => state === 'active')
        .map(({ id, data }) => ({ id, data: JSON.parse(data) as unknown }));
    return this.redis.call(active, false);
  }

  getWorkers(): Promise<readonly { readonly rawname: string }[]> {
    return this.redis.call(() => [...this.redis.workers.values()].filter(({ owner }) => owner?.isAlive !== false), false);
  }

  async close(): Promise<void> {
    this.client.disconnect();
  }
}

/** No simulated queue is in PostgreSQL. */
export class PostgresConnection extends EventEmitter {}
export class PostgresQueueBackend extends EventEmitter {}
export class SchemaMigrationRequiredError extends Error {}
export class SchemaVersionMismatchError extends Error {}
export class UnsupportedPostgresVersionError extends Error {}
export const LATEST_SCHEMA_VERSION = 0;
export const assertSchemaCompatibility = (): void => undefined;
export const quoteSchemaName = (): void => undefined;
export const runMigrations = (): void => undefined;

interface WorkerSettings {
  readonly name: string;
  readonly lockDuration: number;
  readonly stalledInterval: number;
}

type Perform = (job: { readonly id: string; readonly data: unknown; readonly attemptsStarted: number }) => Promise<unknown>;

let workers = 0;

export class Worker extends Member {
  concurrency = 1;
  #isPaused = true; // it doesn't start by itself
  readonly #perform: Perform;
  readonly #settings: WorkerSettings;
  readonly #token = `worker ${++workers}`;
  readonly #running = new Set<Promise<void>>();
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #fetching: Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(name: string, perform: Perform, settings: WorkerSettings) {
    super(name, true);
    this.#perform = perform;
    this.#settings = settings;
    const { redis } = this;
    const { owner } = redis.simulation;
    const own = settings.name.replace(/^.*(?=x\d+$)/, (owner as SimulatedProcess).name); // this machine and process differ each time
    redis.workers.set(this.#token, { rawname: `bull:${name}:w:${own}`, owner });
    const every = (ms: number, act: () => void): NodeJS.Timeout => setInterval(() => void redis.call(act, true), ms);
    this.#timers = [
      every(settings.lockDuration / 2, () => redis.renew(this.#token, settings.lockDuration)),
      every(settings.stalledInterval, () => redis.unstall()),
    ];
    this.#fetching = this.#fetch();
  }

  resume(): void {
    this.#isPaused = false;
  }

  async pause(): Promise<void> {
    this.#isPaused = true;
  }

  close(force = false): Promise<void> {
    return (this.#closing ??= this.#end(force));
  }

  async #end(force: boolean): Promise<void> {
    if (!force) await this.#fetching; // a job that it is about to get is done, too
    while (!force && this.#running.size > 0) await Promise.all(this.#running);
    for (const timer of this.#timers) clearInterval(timer);
    this.redis.workers.delete(this.#token);
    this.emit('closed');
  }

  async #fetch(): Promise<void> {
    while (this.#closing === undefined) {
      const { redis } = this;
      const job =
        this.#running.size < this.concurrency && !this.#isPaused
          ? await redis.call(() => redis.take(this.#token, this.#settings.lockDuration), true)
          : undefined;
      if (job === undefined) await wait(pollMs);
      else {
        const work = this.#work(job).finally(() => this.#running.delete(work));
        this.#running.add(work);
      }
    }
  }

  async #work({
    id,
    data,
    attemptsStarted,
  }: {
    readonly id: string;
    readonly data: string;
    readonly attemptsStarted: number;
  }): Promise<void> {
    const finish = (state: 'completed' | 'failed'): Promise<void> => this.redis.call(() => this.redis.finish(id, this.#token, state), true);
    await this.#perform({ id, data: JSON.parse(data) as unknown, attemptsStarted }).then(
      () => finish('completed'),
      () => finish('failed'),
    );
  }
}
