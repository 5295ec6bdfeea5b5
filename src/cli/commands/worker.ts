import { type Command, ExitCode, UsageError } from '../Command.ts';
import { flowArgument, flowOptions, openFlow } from '../openFlow.ts';
import { clientFlags, withClient } from '../openClient.ts';
import { metricsOption, serveMetrics } from '../serveMetrics.ts';
import { parseOptions } from '../parseOptions.ts';
import { escapeForTerminal } from '../text/escapeForTerminal.ts';

const options = {
  queue: { type: 'string', value: 'QUEUE_URL', about: "the leader's queue: redis://host:6379 or postgres://host/database" },
  ...flowOptions,
  ...metricsOption,
  ...clientFlags,
} as const;

export const worker: Command = {
  name: 'worker',
  overview: [13, 'send requests for a flow that runs on many machines'],
  usage: 'FLOW --queue QUEUE_URL [options]',
  about:
    'Sends the requests of a flow that `trawler run FLOW --queue QUEUE_URL` leads. Start any number of workers, on any machines. Each ' +
    'needs the key in its environment. On SIGTERM a worker finishes its requests and ends.',
  options,
  examples: [['trawler worker coffee.json --queue redis://10.0.0.5:6379', 'work until it is stopped']],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler worker');
    const path = await flowArgument(positionals, 'worker');
    const { queue } = values;
    if (queue === undefined) throw new UsageError('trawler worker needs a queue: --queue QUEUE_URL');
    const { openQueue } = await import('./queue.ts');
    const { startWorker } = await openQueue(queue);
    const flow = await openFlow([path], 'worker', values);
    await using metrics = await serveMetrics(values.metrics, { flow: flow.name, io });
    return await withClient(values, flow.service, io, async (client) => {
      const tell = (message: string): void => void io.stderr.write(`${escapeForTerminal(message)}\n`);
      metrics?.watch(client);
      const { done } = await startWorker(flow, { client, queue, signal: io.signal, tell });
      await done;
      return ExitCode.done;
    });
  },
};
