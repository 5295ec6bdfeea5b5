import { hostname } from 'node:os';
import type { ClientCore } from '../client/ClientCore.ts';
import { FlowError } from '../errors/index.ts';
import type { FlowClient } from '../flow/index.ts';
import { within, type Broker, type TakenJob, type WorkerSide } from './Broker.ts';
import { BrokerWatch } from './BrokerWatch.ts';
import { type PageData, queueFormat } from './JobData.ts';
import { lostFailure, encodeResult, type Result } from './Result.ts';
import { attemptOnce } from '../client/attempt/attemptOnce.ts';
import { redactedFailure } from '../client/attempt/AttemptFailure.ts';
import type { Factory } from '../client/Client.ts';

interface PageWorkerOptions {
  readonly name: string;
  readonly core: ClientCore;
  readonly client: FlowClient;
  readonly broker: Broker;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly waitMs: number;
  readonly tell: (message: string) => void;
}

const lookMs = 500;
const closeMs = 5000;
const otherVersion = { ...lostFailure, what: 'this worker is of another version of trawler than the leader' };

/** Takes jobs, requests their pages, and adds the results. */
export class PageWorker {
  /** Resolves when it is closed. Rejects if it can't continue. */
  readonly done: Promise<void>;
  readonly #options: PageWorkerOptions;
  readonly #side: WorkerSide;
  readonly #watch: BrokerWatch;
  readonly #meter: WorkMeter;
  readonly #looking: NodeJS.Timeout;
  readonly #results: ResultWriter;
  /** Stores the refusals of jobs of another version, even if their leader doesn't take results yet. */
  readonly #refusals: ResultWriter;
  readonly #turns: Semaphore;
  readonly #running = new Set<Promise<object>>();
  #why = 'no connection';
  #takes: boolean | undefined;
  #broken: Error | undefined;
  #closing: Promise<void> | undefined;
  #ended = (): void => undefined;

  constructor(options: PageWorkerOptions) {
    const { name, core, broker, concurrency, lockMs } = options;
    this.#options = options;
    this.#side = broker.work(name, (job) => this.#perform(job), {
      name: `${hostname().replace(/[^\w.-]/g, '')}.${process.pid}x${concurrency}`,
      lockDuration: lockMs,
      stalledInterval: lockMs / 2,
      // BullMQ may give a lost job to a worker as often as it likes: `#sendAll` refuses it, and the leader decides.
      maxStalledCount: 1_000_000,
      runRetryDelay: 500,
      drainDelay: 2,
      autorun: false, // `#look` starts it when it knows who leads
    });
    this.#side.worker.on('error', (error) => {
      this.#why = (error as NodeJS.ErrnoException).code ?? error.message;
    });
    this.#watch = new BrokerWatch(options);
    this.#meter = new WorkMeter(`connected to ${broker.name}: takes jobs of ${name}, for ${concurrency} requests at once`, options.tell);
    this.#looking = setInterval(() => void this.#look(), lookMs + 100);
    setImmediate(() => void this.#look());
    const writer = (always: boolean): ResultWriter =>
      new ResultWriter(
        (fields) => this.#side.add(fields, always),
        (text) => core.transport.secrets.cleanedJson(text),
      );
    this.#results = writer(false); // not stored if the leader has left, because nobody would read them
    this.#refusals = writer(true);
    this.#turns = new Semaphore(concurrency);
    this.done = new Promise((resolve, reject) => {
      this.#ended = () => (this.#broken === undefined ? resolve() : reject(this.#broken));
      this.#side.worker.once('closed', this.#ended);
    });
    this.done.catch(() => undefined); // callers who only close needn't handle it
  }

  /** Takes no more jobs, and resolves when the current ones are done. */
  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  #stop(error: Error): void {
    this.#broken ??= error;
    void this.close();
  }

  /** Checks whether the queue can be reached, and who leads. */
  async #look(): Promise<void> {
    try {
      const leader = await within(lookMs, this.#side.look());
      this.#watch.responded();
      if (this.#closing !== undefined) return;
      this.#meter.look(performance.now());
      this.#checkVersion(leader);
    } catch (error) {
      const hopeless = this.#watch.failed(error, this.#why);
      if (hopeless !== undefined) this.#stop(hopeless);
    }
  }

  /** Takes jobs only from a leader of the same version. */
  #checkVersion(leader: string | undefined): void {
    const takes = leader === undefined || leader.startsWith(`${queueFormat} `);
    if (takes === this.#takes) return;
    this.#takes = takes;
    if (takes) return void this.#side.worker.resume();
    void this.#side.worker.pause(true);
    this.#options.tell('the leader is of another version of trawler; this worker takes nothing until both are of the same');
  }

  #perform(job: TakenJob): Promise<object> {
    const sending = this.#sendAll(job).finally(() => {
      this.#running.delete(sending);
      this.#takeMore();
    });
    this.#running.add(sending);
    this.#takeMore();
    return sending;
  }

  /** Takes another job only while few pages wait here, because other workers may be free. */
  #takeMore(): void {
    const more = this.#turns.waiting < this.#options.concurrency / 4;
    this.#side.worker.concurrency = Math.max(1, this.#running.size + (more ? 1 : 0));
  }

  async #sendAll(job: TakenJob): Promise<object> {
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
    const away = await within(2 * lookMs + closeMs / 5, this.#side.look()).then(
      () => false,
      () => true,
    );
    const closed = this.#side.worker.close(away);
    while (!away && this.#running.size > 0) await Promise.allSettled(this.#running);
    // BullMQ may wait for ever if a job lost its lock, although no job is running.
    const stuck = await within(closeMs, closed).then(
      () => false,
      () => true,
    );
    clearInterval(this.#looking);
    const disconnect = (): Promise<void> => within(closeMs, this.#side.worker.disconnect()).catch(() => undefined);
    if (away || stuck) await disconnect();
    // If the process was blocked, BullMQ may connect once more while it closes. That connection would keep the process alive.
    setTimeout(() => void disconnect(), lookMs).unref();
    this.#ended();
  }
}

/** Results that are stored together: names and values in turn. */
interface Batch {
  readonly fields: (string | Buffer)[];
  size: number;
  readonly added: Promise<unknown>;
}

const maxBatchBytes = 1024 * 1024;

/** Stores results in the queue. Those of one turn of the event loop become one entry. */
class ResultWriter {
  readonly #add: (fields: readonly (string | Buffer)[]) => Promise<unknown>;
  readonly #clean: (text: string) => string;
  #open: Batch | undefined;

  /** `clean` removes secrets. It is applied to all text but the rows. */
  constructor(add: (fields: readonly (string | Buffer)[]) => Promise<unknown>, clean: (text: string) => string) {
    this.#add = add;
    this.#clean = clean;
  }

  /** `of`: the id of the page, or of the job if the result is for all of its pages. Resolves when the queue has the result. */
  add(of: string, result: Result): Promise<unknown> {
    const batch = (this.#open ??= this.#newBatch());
    let name = of;
    for (const part of encodeResult(result, this.#clean)) {
      batch.fields.push(name, part);
      batch.size += part.length;
      name = '';
    }
    if (batch.size > maxBatchBytes) this.#open = undefined;
    return batch.added;
  }

  #newBatch(): Batch {
    const fields: (string | Buffer)[] = [];
    const added = new Promise((resolve) => setImmediate(resolve)).then(() => {
      if (this.#open?.fields === fields) this.#open = undefined;
      return this.#add(fields);
    });
    return { fields, size: 0, added };
  }
}

const everyMs = 60_000;

/** Reports the work of a worker: a line when it is connected, then one a minute. */
export class WorkMeter {
  readonly #tell: (message: string) => void;
  readonly #connected: string;
  #toldAt: number | undefined;
  #pages = 0;
  #failed = 0;

  /** `connected`: the first line. */
  constructor(connected: string, tell: (message: string) => void) {
    this.#connected = connected;
    this.#tell = tell;
  }

  /** Counts a page, or a request that failed. */
  add(isGood: boolean): void {
    if (isGood) this.#pages += 1;
    else this.#failed += 1;
  }

  /** Called each time the queue has responded. */
  look(now: number): void {
    if (this.#toldAt !== undefined && now - this.#toldAt < everyMs) return;
    this.#tell(this.#toldAt === undefined ? this.#connected : this.#line(now - this.#toldAt));
    this.#toldAt = now;
    this.#pages = this.#failed = 0;
  }

  #line(ms: number): string {
    const failed = this.#failed === 0 ? '' : `; requests that failed: ${this.#failed}`;
    if (this.#pages + this.#failed === 0) return 'no jobs in the last minute';
    return `pages in the last minute: ${this.#pages}, ${((this.#pages * 1000) / ms).toFixed(1)} per second${failed}`;
  }
}

/** Requests a page once. Calls `stop` if this worker's client can send no more requests. */
export async function resultOf(
  core: ClientCore,
  client: FlowClient,
  { operation, query, stage, rows, missing, lazy, keep, poll, key }: PageData,
  stop: (error: Error) => void,
): Promise<Result> {
  const factory = Object.hasOwn(client, operation) ? (client[operation as keyof FlowClient] as unknown as Factory) : undefined;
  if (factory?.operation === undefined) {
    return { failure: { ...lostFailure, kind: 'final', what: `this worker's client has no ${operation}` }, ms: 0 };
  }
  const request = {
    operation: factory.operation,
    query,
    rows,
    missing,
    lazy: core.transport.secrets.clean && lazy,
    label: stage,
    keep,
    poll,
    number: 1,
  };
  if (key === core.transport.keyDigest && core.trouble.workingKey === undefined) core.trouble.keyWorks(key);
  const outcome = await attemptOnce(core, request);
  if (outcome.kind === 'refused') {
    const { error } = outcome;
    // The service asked for a long pause. The leader decides what that means for the run.
    if (error.pausedUntil !== undefined) {
      const details = { retryAfterMs: error.pausedUntil - core.settings.clock.wall() };
      return {
        failure: { kind: 'throttled', error: 'RateLimitError', what: 'the service accepts no more requests for now', details },
        ms: 0,
      };
    }
    stop(error);
    return { failure: lostFailure, ms: 0 };
  }
  const { limit } = outcome;
  const ms = Math.ceil(outcome.ms);
  if (outcome.kind === 'response') {
    const { response, bytes, raw } = outcome;
    return { response, bytes, raw, ms, limit, key: core.trouble.workingKey };
  }
  const failure = redactedFailure(outcome.failure, (text) => core.transport.secrets.redact(text));
  if (failure.kind === 'auth' && failure.renewed !== true) stop(new FlowError(`the service refused this worker's key: ${failure.what}`));
  return { failure, ms, limit };
}

/** Lets at most `count` tasks run at the same time. The others wait, in order. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async take<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
