import { Observable } from 'rxjs';
import type { ClientOptions } from '../client/ClientOptions.ts';
import { coreOf } from '../client/coreOf.ts';
import { clientOptions } from '../client/options/clientOptions.ts';
import { anyCredentials } from '../client/options/resolveKey.ts';
import { resolveOptions, type Settings } from '../client/options/resolveOptions.ts';
import type { Service } from '../contract/index.ts';
import {
  runFlow as runLocally,
  serviceOf,
  type Flow,
  type FlowClient,
  type FlowDefinition,
  type FlowProgress,
  type RunFlowOptions,
} from '../flow/index.ts';
import { checkMode, runFlowOptions } from '../flow/run/RunFlowOptions.ts';
import { Leader } from './Leader.ts';
import { brokerOf, type QueueConnection, queueName, waitOption } from './QueueConnection.ts';
import { anything, whole, declareOptions } from '../../operators/options/index.ts';

export interface LeadFlowOptions extends Omit<RunFlowOptions, 'client'> {
  /** The URL of a Redis or a PostgreSQL, or a BullMQ `connection` to Redis. */
  readonly queue: QueueConnection;
  /** Its rate, retries and checks apply to all workers together. It sends nothing itself. @default made from the options below */
  readonly client?: FlowClient | undefined;
  /** As for a client, for all workers together. @default 'auto' */
  readonly rate?: ClientOptions['rate'];
  /** As for a client, but without `statuses` and `codes`, which are the workers'. @default those of a client */
  readonly retry?: ClientOptions['retry'];
  /** As for a client. @default 'report' */
  readonly validate?: ClientOptions['validate'];
  /** How long the database of the queue may be away before the run stops. It can be resumed. @default 60000 */
  readonly waitMs?: number | undefined;
  /** Queries in flight. Choose far more than the workers can take. @default 1024 */
  readonly concurrency?: number | undefined;
}

const { rate, retry, validate } = clientOptions.kinds;
const leadFlowOptions = declareOptions<LeadFlowOptions>()({
  ...runFlowOptions.kinds,
  queue: anything<QueueConnection>(),
  rate,
  retry,
  validate,
  waitMs: waitOption.or(60_000),
  concurrency: whole({ from: 1, finite: true }).or(1024),
});

/**
 * Runs a flow whose requests are sent by workers on other machines. See `startWorker`. Everything else works as in a run on one
 * machine: deduplication, the files, the journal, the learnt rate, pauses, retries and the budget. So files and report are the same.
 * After a failure of the leader, the workers or the queue, run it again to resume.
 *
 * No key is needed here, because only workers send requests. The queue stays small: it holds running jobs, and results that aren't
 * safe on disk yet.
 *
 * ```ts
 * const summary = await lastValueFrom(leadFlow(flow, { queue: 'redis://10.0.0.5:6379', outDir: 'out' }));
 * ```
 */
export function leadFlow(flow: Flow | FlowDefinition, options: LeadFlowOptions): Observable<FlowProgress> {
  const { queue, client, rate, retry, validate, waitMs, ...rest } = leadFlowOptions.read('leadFlow', options);
  const broker = brokerOf('leadFlow', queue);
  checkMode('leadFlow', rest);
  if (retry?.statuses !== undefined || retry?.codes !== undefined)
    throw new RangeError('leadFlow: retry has statuses or codes; give them to the clients of the workers, which read the responses');
  const settings = settingsOf(client, serviceOf(flow), { rate, retry, validate });
  return new Observable((subscriber) => {
    const stop = new AbortController();
    let failure: Error | undefined;
    let isOver = false; // no notice may follow the summary
    const leader = new Leader({
      name: queueName(flow),
      broker,
      outDir: options.outDir,
      settings,
      waitMs,
      tell(message) {
        if (!isOver) subscriber.next({ type: 'notice', at: Date.now(), message });
      },
      fail: (error) => {
        failure = error;
        stop.abort();
      },
    });
    const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    // Stays subscribed after an unsubscribe, until the run has made its last commit.
    runLocally(flow, { ...rest, client: leader.client, signal }).subscribe({
      next(progress) {
        leader.onProgress(progress);
        isOver = progress.type === 'summary';
        if (failure === undefined || progress.type !== 'summary') subscriber.next(progress);
      },
      error(error: unknown) {
        void leader.close(false).finally(() => subscriber.error(error));
      },
      complete() {
        void leader.close(true).finally(() => (failure === undefined ? subscriber.complete() : subscriber.error(failure)));
      },
    });
    return () => stop.abort();
  });
}

/** The settings of the given client, or of the options. The address of the service isn't used. */
function settingsOf(client: FlowClient | undefined, service: Service, options: ClientOptions): Settings {
  const core = client === undefined ? undefined : coreOf.get(client);
  if (client !== undefined && core === undefined) throw new RangeError('leadFlow: client must come from createClient');
  return core?.settings ?? resolveOptions(service, { ...options, baseUrl: 'https://service.invalid', ...anyCredentials(service) }).settings;
}
