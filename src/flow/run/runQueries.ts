import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import type { FlowClient } from './FlowClient.ts';
import type { FlowProgress } from './FlowProgress.ts';
import { FlowRun } from './FlowRun.ts';
import { progressOf } from './progressOf.ts';

const progressMs = 100;
const stopped = 'it was stopped';

interface RunQueriesOptions {
  readonly client: FlowClient;
  readonly concurrency?: number | undefined;
  readonly maxRequests?: number | undefined;
  readonly commitMs?: number | undefined;
  readonly stdin?: NodeJS.ReadableStream | undefined;
  readonly signal: AbortSignal;
}

/** Runs the queries that are left, if any. Returns the reason if it stopped early. */
export async function runQueries(
  flow: Flow,
  store: FlowStore,
  options: RunQueriesOptions,
  demand: DemandNode | undefined,
  tell: (event: FlowProgress) => void,
): Promise<string | undefined> {
  const { client, signal } = options;
  if (store.history.finished !== undefined) return signal.aborted ? stopped : undefined;
  const running = new FlowRun(flow, store, {
    client,
    concurrency: options.concurrency ?? 32,
    maxRequests: options.maxRequests ?? flow.maxRequests,
    commitMs: options.commitMs ?? 1000,
    stdin: options.stdin,
    demand,
    tell,
  });
  const stop = (): void => running.stop(stopped);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  void store.lost.then((error) => running.abandon(error));
  const look = (): void => tell({ type: 'progress', at: Date.now(), stages: progressOf(flow, store.history), client: client.stats() });
  const looking = setInterval(look, progressMs);
  try {
    await running.run();
    look();
  } finally {
    clearInterval(looking);
    signal.removeEventListener('abort', stop);
  }
  return running.because ?? (signal.aborted ? stopped : undefined);
}
