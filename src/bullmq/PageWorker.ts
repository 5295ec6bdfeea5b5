import { hostname } from 'node:os';
import { Worker, type IRedisClient, type Job } from 'bullmq';
import { Turns } from '../../operators/kit/Turns.ts';
import type { ClientCore } from '../client/ClientCore.ts';
import { FlowError } from '../errors/index.ts';
import type { FlowClient } from '../flow/index.ts';
import type { JobData, PageData } from './JobData.ts';
import { addressOf, connectionOf, type QueueConnection, within } from './QueueConnection.ts';
import { RedisWatch } from './RedisWatch.ts';
import { WorkMeter } from './WorkMeter.ts';
import { lostFailure, queueFormat } from './Result.ts';
import { resultOf } from './resultOf.ts';
import { ResultWriter } from './ResultWriter.ts';

interface PageWorkerOptions {
  readonly name: string;
  readonly core: ClientCore;
  readonly client: FlowClient;
  readonly queue: QueueConnection;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly waitMs: number;
  readonly tell: (message: string) => void;
}

/** A client that takes bytes. BullMQ's own type doesn't say that ioredis can. */
interface ByteWriter {
  xadd(key: string, ...args: (string | Buffer)[]): Promise<unknown>;
}

const lookMs = 500;
const closeMs = 5000;
const otherVersion = { ...lostFailure, what: 'this worker is of another version of trawler than the leader' };

/** Takes jobs, requests their pages, and adds the results. */
export class PageWorker {
  /** Resolves when it is closed. Rejects if it can't continue. */
  readonly done: Promise<void>;
  readonly #options: PageWorkerOptions;
  readonly #worker: Worker<JobData>;
  readonly #redis: Promise<IRedisClient>;
  readonly #watch: RedisWatch;
  readonly #meter: WorkMeter;
  readonly #looking: NodeJS.Timeout;
  readonly #results: ResultWriter;
  /** Of jobs of another version, whose leader may not have made the stream. */
  readonly #refusals: ResultWriter;
  readonly #turns: Turns;
  readonly #running = new Set<Promise<object>>();
  #why = 'no connection';
  #broken: Error | undefined;
  #closing: Promise<void> | undefined;
  #ended = (): void => undefined;

  constructor(options: PageWorkerOptions) {
    const { name, core, queue, concurrency, lockMs } = options;
    this.#options = options;
    this.#worker = new Worker<JobData>(name, (job) => this.#perform(job), {
      connection: connectionOf(queue, { maxRetriesPerRequest: null }),
      name: `${hostname().replace(/[^\w.-]/g, '')}.${process.pid}x${concurrency}`,
      lockDuration: lockMs,
      stalledInterval: lockMs / 2,
      // A job that was started before isn't sent again here. The leader counts and decides.
      maxStalledCount: 1_000_000,
      runRetryDelay: 500,
      drainDelay: 2,
    });
    this.#worker.on('error', (error) => {
      this.#why = (error as NodeJS.ErrnoException).code ?? error.message;
    });
    this.#redis = this.#worker.getBackend().client;
    const address = addressOf(queue);
    this.#watch = new RedisWatch({ ...options, address });
    this.#meter = new WorkMeter(
      `connected to Redis at ${address}: takes jobs of ${name}, for ${concurrency} requests at once`,
      options.tell,
    );
    this.#looking = setInterval(() => void this.#look(), lookMs + 100);
    const key = this.#worker.toKey('results');
    const writer = (...only: readonly string[]): ResultWriter =>
      new ResultWriter(
        async (fields) => ((await this.#redis) as unknown as ByteWriter).xadd(key, ...only, '*', ...fields),
        (text) => core.transport.secrets.cleanedJson(text, 'short'),
      );
    this.#results = writer('NOMKSTREAM'); // where the leader has left, nobody takes results
    this.#refusals = writer();
    this.#turns = new Turns(concurrency);
    this.done = new Promise((resolve, reject) => {
      this.#ended = () => (this.#broken === undefined ? resolve() : reject(this.#broken));
      this.#worker.once('closed', this.#ended);
    });
    this.done.catch(() => undefined); // for callers who only close
  }

  /** Takes no more jobs, and resolves when the current ones are done. */
  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  #stop(error: Error): void {
    this.#broken ??= error;
    void this.close();
  }

  /** Checks whether Redis is there. */
  async #look(): Promise<void> {
    try {
      await within(
        lookMs,
        this.#redis.then((connected) => connected.get(this.#worker.toKey('leader'))),
      );
      this.#watch.responded();
      if (this.#closing === undefined) this.#meter.look(performance.now());
    } catch (error) {
      const hopeless = this.#watch.failed(error, this.#why);
      if (hopeless !== undefined) this.#stop(new FlowError(hopeless));
    }
  }

  #perform(job: Job<JobData>): Promise<object> {
    const sending = this.#sendAll(job).finally(() => {
      this.#running.delete(sending);
      this.#takeMore();
    });
    this.#running.add(sending);
    this.#takeMore();
    return sending;
  }

  /** Takes another job only while few pages wait here. Other workers may have room for them. */
  #takeMore(): void {
    const more = this.#turns.waiting < this.#options.concurrency / 4;
    this.#worker.concurrency = Math.max(1, this.#running.size + (more ? 1 : 0));
  }

  async #sendAll(job: Job<JobData>): Promise<object> {
    const { format, pages } = job.data;
    const failure = format === queueFormat ? (job.attemptsStarted > 1 ? lostFailure : undefined) : otherVersion;
    if (failure === undefined) return { ms: await Promise.all(pages.map((page) => this.#send(page))) };
    const writer = failure === otherVersion ? this.#refusals : this.#results;
    await writer.add(job.id!, { failure, ms: 0 });
    return { failure: failure.what };
  }

  async #send(page: PageData): Promise<number> {
    const { core, client } = this.#options;
    const result = await this.#turns.take(() => resultOf(core, client, page, (error) => this.#stop(error)));
    await this.#results.add(page.id, result);
    this.#meter.add('response' in result);
    return result.ms;
  }

  async #end(): Promise<void> {
    const away = this.#watch.awayMs > 2 * lookMs + closeMs / 5;
    const closed = this.#worker.close(away);
    while (!away && this.#running.size > 0) await Promise.allSettled(this.#running);
    // BullMQ may wait for ever where a job's lock was lost, though no job is running.
    const stuck = await within(closeMs, closed).then(
      () => false,
      () => true,
    );
    clearInterval(this.#looking);
    const disconnect = (): Promise<void> => within(closeMs, this.#worker.disconnect()).catch(() => undefined);
    if (away || stuck) await disconnect();
    // After its process was blocked, BullMQ may connect once more while it closes. That alone would keep the process alive.
    setTimeout(() => void disconnect(), lookMs).unref();
    this.#ended();
  }
}
