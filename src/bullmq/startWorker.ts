import { hostname } from 'node:os';
import { Worker, type Job } from 'bullmq';
import { checkOptions } from '../../operators/check/checkOptions.ts';
import { coreOf } from '../client/ClientCore.ts';
import { FlowError } from '../errors/index.ts';
import type { Flow, FlowClient, FlowDefinition } from '../flow/index.ts';
import type { JobData, PageData } from './JobData.ts';
import { missingDriver, addressOf, checkQueue, connectionOf, type QueueConnection, within, queueName } from './QueueConnection.ts';
import { RedisWatch } from './RedisWatch.ts';
import { lostFailure, queueFormat } from './Result.ts';
import { resultOf } from './resultOf.ts';
import { ResultWriter } from './ResultWriter.ts';
import { Turns } from './Turns.ts';

export interface StartWorkerOptions {
  /** Sends the requests. It has the key, the address and the timeout. The leader decides the rate and the retries. */
  readonly client: FlowClient;
  /** A Redis URL, or a BullMQ `connection`. */
  readonly queue: QueueConnection;
  /** Pages to fetch at the same time. @default the client's `concurrency` */
  readonly concurrency?: number | undefined;
  /** Closes the worker. @default none */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long a dead worker keeps its jobs. They run elsewhere after at most one and a half times as long. The same holds for a
   * worker whose process is blocked for longer. @default 5000
   */
  readonly lockMs?: number | undefined;
  /** How long Redis may be away before the worker gives up. @default 60000 */
  readonly waitMs?: number | undefined;
  /** Called when Redis goes away and when it is back. @default none */
  readonly tell?: ((message: string) => void) | undefined;
}

export interface FlowWorker extends AsyncDisposable {
  /** Takes no more jobs, and resolves when the current ones are done. */
  close(): Promise<void>;
  /** Resolves when it is closed. Rejects if it can't continue: key refused, budget used up, or Redis away for too long. */
  readonly done: Promise<void>;
}

/** A client that takes bytes. BullMQ's own type doesn't say that ioredis can. */
interface ByteWriter {
  xadd(key: string, id: string, ...fields: (string | Buffer)[]): Promise<unknown>;
}

const lookMs = 500;
const closeMs = 5000;

/**
 * Fetches pages for a flow that `leadFlow` leads in another process. Run as many as you like, anywhere. Each may be killed
 * at any time, and its jobs run again within seconds. Resolves at once. A worker waits for its leader.
 */
export async function startWorker(flow: Flow | FlowDefinition, options: StartWorkerOptions): Promise<FlowWorker> {
  checkOptions('startWorker', options, ['client', 'queue', 'concurrency', 'signal', 'lockMs', 'waitMs', 'tell']);
  const { client, queue, signal, lockMs = 5000, waitMs = 60_000, tell = () => undefined } = options;
  checkQueue('startWorker', queue);
  const core = coreOf.get(client);
  if (core === undefined) throw new RangeError('startWorker: client must be one that createClient made');
  const concurrency = options.concurrency ?? core.settings.concurrency;
  must('concurrency', concurrency, 'a whole number from 1 on', Number.isSafeInteger(concurrency) && concurrency >= 1);
  must('lockMs', lockMs, 'from 500 to 600000', lockMs >= 500 && lockMs <= 600_000);
  must('waitMs', waitMs, `from 0 to ${2 ** 31 - 1}`, waitMs >= 0 && waitMs < 2 ** 31);
  let why = 'no connection';
  let broken: Error | undefined;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= end());
  const stop = (error: Error): void => {
    broken ??= error;
    void close();
  };

  const worker = new Worker<JobData>(queueName(flow), (job) => perform(job), {
    connection: connectionOf(queue, { maxRetriesPerRequest: null }),
    name: `${hostname().replace(/[^\w.-]/g, '')}.${process.pid}x${concurrency}`,
    lockDuration: lockMs,
    stalledInterval: lockMs / 2,
    // A job that was started before isn't sent again here. The leader counts and decides.
    maxStalledCount: 1_000_000,
    runRetryDelay: 500,
    drainDelay: 2,
  });
  worker.on('error', (error) => {
    why = (error as NodeJS.ErrnoException).code ?? error.message;
  });
  const redis = worker.getBackend().client;
  const watch = new RedisWatch({ address: addressOf(queue), waitMs, tell });
  const looking = setInterval(() => {
    within(
      lookMs,
      redis.then((connected) => connected.get(worker.toKey('leader'))),
    ).then(
      () => watch.responded(),
      (error: unknown) => {
        const missing = missingDriver(error);
        if (missing !== undefined) stop(new FlowError(missing));
        else if (watch.failed(why)) stop(new FlowError(watch.tooLong));
      },
    );
  }, lookMs + 100);

  const results = new ResultWriter(
    async (fields) => ((await redis) as unknown as ByteWriter).xadd(worker.toKey('results'), '*', ...fields),
    (text) => core.transport.redact(text),
  );
  const running = new Set<Promise<object>>();
  const turns = new Turns(concurrency);
  function perform(job: Job<JobData>): Promise<object> {
    const sending = sendAll(job).finally(() => {
      running.delete(sending);
      takeMore();
    });
    running.add(sending);
    takeMore();
    return sending;
  }

  /** Takes another job only while few pages wait here. Other workers may have room for them. */
  function takeMore(): void {
    worker.concurrency = Math.max(1, running.size + (turns.waiting < concurrency / 4 ? 1 : 0));
  }

  async function sendAll(job: Job<JobData>): Promise<object> {
    const { format, pages } = job.data;
    const fault = format === queueFormat ? (job.attemptsStarted > 1 ? lostFailure : undefined) : otherVersion;
    if (fault !== undefined) {
      await results.add(job.id!, { failure: fault, ms: 0 });
      return { failure: fault.what };
    }
    const ms = await Promise.all(pages.map(send));
    return { ms };
  }

  async function send(page: PageData): Promise<number> {
    const result = await turns.take(() => resultOf(core!, client, page, stop));
    await results.add(page.id, result);
    return result.ms;
  }

  async function end(): Promise<void> {
    signal?.removeEventListener('abort', onAbort);
    const away = watch.awayMs > 2 * lookMs + closeMs / 5;
    const closed = worker.close(away);
    while (!away && running.size > 0) await Promise.allSettled(running);
    // BullMQ may wait for ever where a job's lock was lost, though no job is running.
    const stuck = await within(closeMs, closed).then(
      () => false,
      () => true,
    );
    clearInterval(looking);
    const disconnect = (): Promise<void> => within(closeMs, worker.disconnect()).catch(() => undefined);
    if (away || stuck) await disconnect();
    // After its process was blocked, BullMQ may connect once more while it closes. That alone would keep the process alive.
    setTimeout(() => void disconnect(), lookMs).unref();
    ended();
  }

  let ended = (): void => undefined;
  const done = new Promise<void>((resolve, reject) => {
    ended = () => (broken === undefined ? resolve() : reject(broken));
    worker.once('closed', ended);
  });
  done.catch(() => undefined); // for callers who only close
  function onAbort(): void {
    void close();
  }
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  return { close, done, [Symbol.asyncDispose]: close };
}

function must(option: string, value: number, what: string, holds: boolean): void {
  if (!holds) throw new RangeError(`startWorker: ${option} must be ${what}, not ${value}`);
}

const otherVersion = { ...lostFailure, what: 'this worker is of another version of trawler than the leader' };
