import { lastValueFrom, type Observable } from 'rxjs';
import type { PageLike } from '../../../operators/index.ts';
import { leftIn } from '../../contract/index.ts';
import { formatCount } from '../../flow/report/index.ts';
import { type Command, ExitCode, writeOut } from '../Command.ts';
import { flowOptions, openFlow } from '../openFlow.ts';
import { clientFlags, withClient } from '../openClient.ts';
import { parseOptions } from '../parseOptions.ts';

const options = { ...flowOptions, ...clientFlags } as const;

export const check: Command = {
  name: 'check',
  overview: [4, 'say what is wrong with a flow, and whether the key works'],
  usage: 'FLOW [options]',
  about:
    "Says what is wrong with a flow, for nothing. Then it sends the one request that shows whether the key works, if the flow's service names one.",
  options,
  examples: [['trawler check coffee.json', 'the flow, then the key']],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler check');
    const { name, stages, service } = await openFlow(positionals, 'check', values);
    await writeOut(io.stdout, `${name}: nothing is wrong with its ${stages.length === 1 ? 'stage' : `${stages.length} stages`}.\n`);
    const { account: named } = service;
    if (named === undefined) {
      await writeOut(
        io.stdout,
        `The service ${service.name} names no request that shows whether the key works (account), so none was sent.\n`,
      );
      return ExitCode.done;
    }
    return withClient(values, service, io, async (client) => {
      const request = client[named.call as keyof typeof client] as unknown as (query: object) => Observable<PageLike>;
      const { data } = await lastValueFrom(request(named.with ?? {}));
      const left = leftIn(named, data);
      await writeOut(io.stdout, `The key works: ${named.call} responded.\n`);
      if (left !== undefined) await writeOut(io.stdout, `What is left at ${service.name}: ${formatCount(left)}.\n`);
      return ExitCode.done;
    });
  },
};
