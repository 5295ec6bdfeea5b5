import { UsageError } from './Command.ts';

type QueueDoor = typeof import('../bullmq/index.ts');

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
