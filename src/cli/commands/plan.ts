import { formatCount } from '../../../operators/kit/countOf.ts';
import { like } from '../../../operators/options/index.ts';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Flow, FlowClient, FlowDefinition, FlowPlan, PlanFlowOptions } from '../../flow/index.ts';
import { type Command, type OptionValues, ExitCode, UsageError, type Io, writeOut } from '../Command.ts';
import { TrawlerError } from '../../errors/index.ts';
import { describeError } from '../describeError.ts';
import { flowOptions, openFlow, postgresOption } from '../openFlow.ts';
import { clientFlags, withClient } from '../openClient.ts';
import { storeNamed, storeOptions } from '../openStoreFor.ts';
import { parseOptions, priceOption } from '../parseOptions.ts';
import { shellWord } from '../typedProgram.ts';
import { escapeForTerminal, printedJson, escapeLines } from '../text/escapeForTerminal.ts';

const options = {
  ...priceOption,
  sample: {
    type: 'string',
    number: like<number>(
      'a whole number or a share, such as 5 or 3%',
      (size) => (size as number) > 0 && ((size as number) < 1 || Number.isInteger(size)),
    ),
    value: 'N',
    about: 'estimate the rest by running N or N% of the first queries; sends requests',
  },
  mermaid: { type: 'boolean', about: 'print a Mermaid flowchart' },
  svg: { type: 'string', value: 'FILE', about: 'write a drawing to this file' },
  json: { type: 'boolean', about: 'print JSON' },
  ...flowOptions,
  ...postgresOption,
  ...clientFlags,
  'max-requests': { ...clientFlags['max-requests'], about: 'send no more than N requests, retries included (100)' },
  ...storeOptions,
} as const;

export const plan: Command = {
  name: 'plan',
  overview: [3, 'check a flow and count its requests before sending any'],
  usage: 'FLOW [options]',
  about: 'Checks a flow and shows the fewest and the most requests it can take, and why. It sends no request unless you add --sample.',
  options,
  examples: [
    ['trawler plan coffee.json', 'the stages as a tree, with their requests'],
    ['trawler plan coffee.json --price 0.002', 'also shows the price'],
    ['trawler plan coffee.json --sample 3%', 'with an estimate from some of its first queries'],
    ['trawler plan coffee.json --svg coffee.svg', 'a drawing of the plan'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler plan');
    const { price, sample, 'max-requests': sampleRequests = enough } = values;
    const priceDigits = Math.max(2, String(price ?? '').split('.')[1]?.length ?? 0);
    if (values.mermaid === true && values.json === true)
      throw new UsageError('--mermaid and --json are different formats. Use one of them.');
    const flow = await openFlow(positionals, 'plan', values);
    const { drawPlan, mermaid, planFlow } = await import('../../flow/index.ts');
    const store = storeToCount(values);
    const baseUrl = values.sandbox === true ? 'http://localhost' : (values['base-url'] ?? io.env['TRAWLER_BASE_URL']);
    const print = async (made: FlowPlan): Promise<number> => {
      if (values.svg !== undefined) {
        await writeFile(values.svg, drawPlan(made));
        io.stderr.write(`Wrote the drawing to ${escapeForTerminal(values.svg)}.\n`);
      }
      if (values.json === true) await writeOut(io.stdout, printedJson(made, 2));
      else if (values.mermaid === true) await writeOut(io.stdout, `${escapeLines(mermaid(made).trimEnd())}\n`);
      else await writeOut(io.stdout, (await import('../renderPlan.ts')).renderPlan(made, priceDigits));
      // what the sandbox says is no price
      if (made.quote !== undefined && values.sandbox !== true) io.stderr.write(await tellQuote(flow, made.quote, positionals[0]!, io));
      return ExitCode.done;
    };
    const destinations = await tablesToCheck(flow, values.postgres, io);
    if (sample === undefined) {
      try {
        return await print(await planFlow(flow, { price, store, baseUrl, destinations }));
      } catch (error) {
        if (!(error instanceof TrawlerError)) throw error;
        io.stderr.write(await describeError(error, io)); // nothing was sent
        return ExitCode.usage;
      }
    }
    const { sampledOf } = await import('../../flow/report/index.ts');
    const sampling: PlanFlowOptions['sampling'] = ({ roots, of, requests }) => {
      const what = `${sampledOf(roots, of)}${roots === of ? ', so it runs the whole crawl' : ' and all below them'}`;
      io.stderr.write(
        `--sample ${sample < 1 ? `${Number((sample * 100).toPrecision(4))}%` : sample} runs ${what}: ${shown(requests.atLeast)} to ${shown(requests.atMost)} ${requests.atMost === 1 ? 'request' : 'requests'}. Its rows are not kept.\n`,
      );
    };
    return withClient(values, flow.service, io, async (client: FlowClient) =>
      print(await planFlow(flow, { price, sample, sampleRequests, sampling, client, store, baseUrl, destinations })),
    );
  },
};

/** The most requests of a sample, if `--max-requests` doesn't say. */
const enough = 100;

/** Keeps a quote beside its flow, and says what it is. */
async function tellQuote(flow: Flow, quote: NonNullable<FlowPlan['quote']>, path: string, { program = 'trawler' }: Io): Promise<string> {
  if ('because' in quote) return `No quote: ${quote.because}.\n`;
  const { keepQuote, renderQuote } = await import('../quotes.ts');
  await keepQuote(flow, quote);
  return `${escapeLines(renderQuote(quote))}Run within it: ${program} run ${shellWord(path)} --quote ${quote.id}\n`;
}

/** The database whose tables the plan checks, if it is known where that is. */
async function tablesToCheck(flow: Flow, url: string | undefined, io: Io): Promise<PlanFlowOptions['destinations']> {
  const names = flow.stages.flatMap(({ targets }) => targets.map(({ to }) => to));
  if (names.length === 0) return undefined;
  const address = url ?? io.env['DATABASE_URL'];
  if (address === undefined && io.env['PGHOST'] === undefined) {
    io.stderr.write(`${escapeForTerminal(names.join(', '))}: not checked. For that, give --postgres URL or set DATABASE_URL.\n`);
    return undefined;
  }
  const { postgresDestination } = await import('../../sinks/index.ts');
  return { postgres: postgresDestination(address) };
}

/** The store that the options name, as a flow would. Undefined: the flow's own. */
function storeToCount(values: OptionValues<typeof storeOptions>): FlowDefinition['store'] {
  const { folder } = storeNamed(values);
  const mode = values.replay === undefined ? 'reuse' : 'replay';
  return folder === undefined ? undefined : { folder: resolve(folder), mode, maxAge: values['max-age'] };
}

function shown(requests: number): string {
  return requests === Infinity ? 'any number of' : formatCount(requests);
}
