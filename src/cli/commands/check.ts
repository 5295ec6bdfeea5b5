import { type Command, ExitCode, writeOut } from '../Command.ts';
import { accountText } from '../../flow/report/index.ts';
import { flowOptions, openFlow } from '../openFlow.ts';
import { clientFlags, refuseForSeveral, withClient } from '../openClient.ts';
import { parseOptions } from '../parseOptions.ts';
import { lastValueFrom, type Observable } from 'rxjs';
import type { PageLike, PageRequest } from '../../../operators/index.ts';
import { isPaid, leftIn, type Service } from '../../contract/index.ts';
import type { AccountLeft } from '../../flow/index.ts';

const options = { ...flowOptions, ...clientFlags } as const;

export const check: Command = {
  name: 'check',
  overview: [4, 'say what is wrong with a flow, and whether the key works'],
  usage: 'FLOW [options]',
  about:
    "Says what is wrong with a flow, for nothing. Then it sends the one request that shows whether the key works, if the flow's " +
    'service names one.',
  options,
  examples: [['trawler check coffee.json', 'the flow, then the key']],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler check');
    const { name, stages, services, folder } = await openFlow(positionals, 'check', values);
    await writeOut(io.stdout, `${name}: nothing is wrong with its ${stages.length === 1 ? 'stage' : `${stages.length} stages`}.\n`);
    refuseForSeveral(services, values, ['base-url']);
    for (const service of services) {
      const { account } = service;
      const code = await withClient({ ...values, flowFolder: folder }, service, io, async (client) => {
        if (account === undefined) {
          const none = `The service ${service.name} names no request that shows whether the key works (account), so none was sent.\n`;
          await writeOut(io.stdout, none);
          return ExitCode.done;
        }
        const left = await askLeft(client, service, account);
        const told = left === undefined ? '' : `${accountText({ service: service.name, left, unit: service.price?.unit })}\n`;
        await writeOut(io.stdout, `The key works: ${account.call} responded.\n${told}`);
        return ExitCode.done;
      });
      if (code !== ExitCode.done) return code;
    }
    return ExitCode.done;
  },
};

type Account = NonNullable<Service['account']>;

/** Sends the request that shows whether the key works. Gives what is left. undefined: the response doesn't say it. */
async function askLeft(client: object, service: Service, account: Account): Promise<number | undefined> {
  const request = client[account.call as keyof typeof client] as unknown as (query: object, options: PageRequest) => Observable<PageLike>;
  const { data } = await lastValueFrom(request(account.with ?? {}, { store: 'skip' }));
  return leftIn(account, data);
}

/** What is left after a run. Nothing if that request isn't free, fails, or takes longer than three seconds. */
export async function leftAfter(client: object, service: Service): Promise<readonly AccountLeft[]> {
  const { name, account, price } = service;
  if (account?.left === undefined || isPaid(price, account.call)) return [];
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, patienceMs, undefined).unref());
  const left = await Promise.race([askLeft(client, service, account).catch(() => undefined), late]);
  return left === undefined ? [] : [{ service: name, left, unit: price?.unit }];
}

const patienceMs = 3000;
