import { writeFile } from 'node:fs/promises';
import type { FlowClient, FlowPlan } from '../../flow/index.ts';
import type { Command } from '../Command.ts';
import { ExitCode } from '../ExitCode.ts';
import { namedService } from '../chooseService.ts';
import { flowArgument } from '../flowArgument.ts';
import { numberOption } from '../numberOption.ts';
import { clientOptions } from '../openClient.ts';
import { parseOptions } from '../parseOptions.ts';
import { escapeForTerminal, escapeJson } from '../text/escapeForTerminal.ts';
import { UsageError } from '../UsageError.ts';
import { withClient } from '../withClient.ts';
import { writeOut } from '../writeOut.ts';

const options = {
  price: { type: 'string', value: 'P', about: 'of one request, in any currency' },
  sample: { type: 'string', value: 'N', about: 'run N of the first queries and extrapolate; this asks the service' },
  mermaid: { type: 'boolean', about: 'as a Mermaid flowchart' },
  svg: { type: 'string', value: 'FILE', about: 'as a drawing' },
  json: { type: 'boolean', about: 'as JSON' },
  ...clientOptions,
} as const;

export const plan: Command = {
  name: 'plan',
  usage: 'FLOW [options]',
  about: 'Checks a flow and says what it would ask for, at least and at most, and why; without one request, unless --sample is given.',
  options,
  examples: [
    ['trawler plan coffee.json', 'stages as a tree with their requests'],
    ['trawler plan coffee.json --price 0.002', '… and what they cost'],
    ['trawler plan coffee.json --sample 5', '… after running five of its first queries'],
    ['trawler plan coffee.json --svg coffee.svg', 'a drawing with the figures on it'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler plan');
    const path = flowArgument(positionals, 'plan');
    const price = numberOption('price', values.price, { min: 0, whole: false });
    const sample = numberOption('sample', values.sample);
    if (values.mermaid === true && values.json === true) throw new UsageError('--mermaid and --json are two formats; give one of them.');
    const { drawPlan, loadFlow, mermaid, planFlow } = await import('../../flow/index.ts');
    const flow = await loadFlow(path, { service: await namedService(values.service) });
    const print = async (made: FlowPlan): Promise<number> => {
      if (values.svg !== undefined) await writeFile(values.svg, drawPlan(made));
      if (values.json === true) await writeOut(io.stdout, `${escapeJson(JSON.stringify(made, finite, 2))}\n`);
      else if (values.mermaid === true)
        await writeOut(io.stdout, `${mermaid(made).trimEnd().split('\n').map(escapeForTerminal).join('\n')}\n`);
      else await writeOut(io.stdout, (await import('../renderPlan.ts')).renderPlan(made));
      return ExitCode.done;
    };
    if (sample === undefined) return print(await planFlow(flow, { price }));
    return withClient(values, flow.service, io, async (client: FlowClient) => print(await planFlow(flow, { price, sample, client })));
  },
};

/** JSON has no Infinity: `null` is 'no limit'. */
function finite(_key: string, value: unknown): unknown {
  return value === Infinity ? null : value;
}
