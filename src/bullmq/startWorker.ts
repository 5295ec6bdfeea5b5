import { onAbort } from '../../operators/kit/onAbort.ts';
import { coreOf } from '../client/coreOf.ts';
import type { Flow, FlowClient, FlowDefinition } from '../flow/index.ts';
import { PageWorker } from './PageWorker.ts';
import { brokerOf, type QueueConnection, queueName, waitOption } from './QueueConnection.ts';
import { anything, callback, number, signal, whole, declareOptions } from '../../operators/options/index.ts';

export interface StartWorkerOptions {
  /** Sends the requests, with its key, address and timeout. The leader decides the rate and the retries. */
  readonly client: FlowClient;
  /** The URL of a Redis or a PostgreSQL, or a BullMQ `connection` to Redis. */
  readonly queue: QueueConnection;
  /** Pages to fetch at the same time. @default the client's `concurrency` */
  readonly concurrency?: number | undefined;
  /** Closes the worker. @default none */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long a job stays with a worker that has died, or whose process is blocked. Another worker gets it after at most one and a half
   * times as long. @default 5000
   */
  readonly lockMs?: number | undefined;
  /** How long the database of the queue may be away before the worker gives up. @default 60000 */
  readonly waitMs?: number | undefined;
  /** Called with a message: when it is connected, once a minute, and when the queue is away or back. @default none */
  readonly tell?: ((message: string) => void) | undefined;
}

export interface FlowWorker extends AsyncDisposable {
  /** Takes no more jobs, and resolves when the current ones are done. */
  close(): Promise<void>;
  /** Resolves when it is closed. Rejects if it can't continue: the key is refused, the budget used up, or the queue away for too long. */
  readonly done: Promise<void>;
}

const startWorkerOptions = declareOptions<StartWorkerOptions>()({
  client: anything<FlowClient>(),
  queue: anything<QueueConnection>(),
  concurrency: whole({ from: 1, finite: true }),
  signal: signal(),
  lockMs: number({ from: 500, to: 600_000 }).or(5000),
  waitMs: waitOption.or(60_000),
  tell: callback(),
});

/**
 * Starts a worker, which requests pages for a flow that `leadFlow` runs in another process. Start as many as you like, on any machine.
 * Each may be killed at any time: its jobs are taken by others within seconds. Resolves at once. A worker waits for its leader.
 */
export async function startWorker(flow: Flow | FlowDefinition, options: StartWorkerOptions): Promise<FlowWorker> {
  const { client, queue, signal, lockMs, waitMs, tell = () => undefined, ...given } = startWorkerOptions.read('startWorker', options);
  const broker = brokerOf('startWorker', queue);
  const core = coreOf.get(client);
  if (core === undefined) throw new RangeError('startWorker: client must come from createClient');
  const { concurrency = core.settings.concurrency } = given;
  const worker = new PageWorker({ name: queueName(flow), core, client, broker, concurrency, lockMs, waitMs, tell });
  if (signal !== undefined) {
    const forget = onAbort(signal, () => void worker.close());
    worker.done.then(forget, forget);
  }
  const close = (): Promise<void> => worker.close();
  return { close, done: worker.done, [Symbol.asyncDispose]: close };
}
