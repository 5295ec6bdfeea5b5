import { NetworkError } from '../../errors/index.ts';
import { type Command, ExitCode, UsageError, writeOut } from '../Command.ts';
import { parseOptions } from '../parseOptions.ts';

export const queue: Command = {
  name: 'queue',
  overview: [15, 'make the tables of a queue in PostgreSQL'],
  usage: 'init QUEUE_URL',
  about:
    'Makes the tables that a queue in PostgreSQL needs, in a schema of their own: trawler_queue, or the one that ?schema=NAME of the ' +
    'address names. Tables that are there stay, and are brought up to date. A queue in Redis needs nothing.',
  options: {},
  examples: [['trawler queue init postgres://crawler@10.0.0.5/crawls', 'once, before the first run']],
  async run(argv, io) {
    const { positionals } = parseOptions(argv, {}, 'trawler queue');
    const [action, address, more] = positionals;
    if (action !== 'init' || address === undefined || more !== undefined)
      throw new UsageError('trawler queue has one action: trawler queue init QUEUE_URL');
    const { initQueue } = await openQueue(address);
    await initQueue(address).catch((error: unknown) => {
      throw error instanceof NetworkError ? new UsageError(error.message) : error;
    });
    await writeOut(io.stdout, 'The queue is ready.\n');
    return ExitCode.done;
  },
};

type QueueDoor = typeof import('../../bullmq/index.ts');

/** Loads the BullMQ entry point. BullMQ is an optional package. */
export async function openQueue(queue: string): Promise<QueueDoor> {
  try {
    return await import('../../bullmq/index.ts');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const driver = queue.startsWith('postgres') ? 'pg' : 'ioredis';
    throw new UsageError(`This queue needs the packages bullmq and ${driver}, which are not installed.`, {
      hint: `npm install bullmq ${driver}`,
    });
  }
}
