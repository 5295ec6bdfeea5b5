import { type Command, ExitCode, UsageError, writeOut } from '../Command.ts';
import { parseOptions } from '../parseOptions.ts';

const options = {
  queue: { type: 'string', value: 'QUEUE_URL', about: 'the PostgreSQL: postgres://user@host/database' },
} as const;

export const queue: Command = {
  name: 'queue',
  overview: [15, 'make the tables of a queue in PostgreSQL'],
  usage: 'init --queue QUEUE_URL',
  about:
    'Makes the tables that a queue in PostgreSQL needs, in a schema of their own: trawler_queue, or the one that ?schema=NAME of the address names. Tables that are there stay, and are brought up to date. A queue in Redis needs nothing.',
  options,
  examples: [['trawler queue init --queue postgres://crawler@10.0.0.5/crawls', 'once, before the first run']],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler queue');
    if (positionals.join(' ') !== 'init') throw new UsageError('trawler queue has one action: trawler queue init --queue QUEUE_URL');
    if (values.queue === undefined) throw new UsageError('trawler queue init needs an address: --queue QUEUE_URL');
    const { openQueue } = await import('../openQueue.ts');
    await (await openQueue(values.queue)).initQueue(values.queue);
    await writeOut(io.stdout, 'The queue is ready.\n');
    return ExitCode.done;
  },
};
