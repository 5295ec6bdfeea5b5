import type { Observable } from 'rxjs';
import type { Flow, FlowClient, FlowProgress, RunFlowOptions } from '../flow/index.ts';
import { UsageError } from './Command.ts';

/** What the command needs of the package's door to BullMQ. */
interface QueueDoor {
  /** Leads a run whose requests are sent by workers. */
  readonly leadFlow: (flow: Flow, options: RunFlowOptions & { readonly queue: string }) => Observable<FlowProgress>;
  /** Works until the signal. `done` resolves when the last query is done. */
  readonly startWorker: (
    flow: Flow,
    options: {
      readonly client: FlowClient;
      readonly queue: string;
      readonly signal: AbortSignal;
      readonly tell: (message: string) => void;
    },
  ) => Promise<{ readonly done: Promise<void> }>;
  /** Makes the tables of a queue in PostgreSQL. */
  readonly initQueue: (queue: string) => Promise<void>;
}

/** Loads the BullMQ entry point. BullMQ is an optional package. */
export async function openQueue(queue: string): Promise<QueueDoor> {
  try {
    return await import('../bullmq/index.ts');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const driver = queue.startsWith('postgres') ? 'pg' : 'ioredis';
    throw new UsageError(`This queue needs the packages bullmq and ${driver}, which are not installed.`, {
      hint: `npm install bullmq ${driver}`,
    });
  }
}
