import type { Observable } from 'rxjs';
import type { Flow, FlowClient, FlowProgress, RunFlowOptions } from '../flow/index.ts';
import { UsageError } from './UsageError.ts';

/** What the command needs of the package's door to BullMQ. */
export interface QueueDoor {
  /** Leads a run whose units workers do. */
  readonly runFlow: (flow: Flow, options: RunFlowOptions & { readonly queue: string }) => Observable<FlowProgress>;
  /** Works until the signal; resolves when the last unit is done. */
  readonly startWorker: (
    flow: Flow,
    options: { readonly client: FlowClient; readonly queue: string; readonly signal: AbortSignal },
  ) => Promise<void>;
}

/** Loads the door to BullMQ, which is a package of its own that not everybody has. */
export async function openQueue(): Promise<QueueDoor> {
  const door = '../bullmq/index.js';
  try {
    return (await import(door)) as QueueDoor;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError('A queue needs the package bullmq, which is not installed.', { hint: 'npm install bullmq' });
  }
}
