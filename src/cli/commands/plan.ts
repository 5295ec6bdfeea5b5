import { writeFile } from 'node:fs/promises';
import type { Flow, FlowPlan, PlanFlowOptions, PlanStage, Range } from '../../flow/index.ts';
import { serviceOption } from '../chooseService.ts';
import { type Command, ExitCode, UsageError, type Io, writeOut } from '../Command.ts';
import { TrawlerError } from '../../errors/index.ts';
import { describeError } from '../describeError.ts';
import { flowOptions, openFlow, outFolderOf, postgresOption } from '../openFlow.ts';
import { parseOptions, priceOption } from '../parseOptions.ts';
import { commandToResume } from '../typedProgram.ts';
import { escapeForTerminal, printedJson, escapeLines } from '../text/escapeForTerminal.ts';
import { getOrInsert } from '../../../operators/kit/once.ts';
import { describeFirst, formatCount, formatSum } from '../../flow/report/index.ts';
import { renderTable } from '../text/renderTable.ts';
import { wrapText } from '../text/textWidth.ts';

const options = {
  ...priceOption,
  quote: { type: 'boolean', about: 'keep the highest number of requests as a quote, for trawler run --quote' },
  out: {
    type: 'string',
    value: 'DIR',
    about: "the run's folder: if run --first ran there, the plan says what all would take (out/NAME of the flow)",
  },
  mermaid: { type: 'boolean', about: 'print a Mermaid flowchart' },
  svg: { type: 'string', value: 'FILE', about: 'write a drawing to this file' },
  json: { type: 'boolean', about: 'print JSON' },
  ...flowOptions,
  ...postgresOption,
  ...serviceOption,
  env: { type: 'string', value: 'FILE', about: 'read environment variables from a file, such as .env' },
} as const;

export const plan: Command = {
  name: 'plan',
  overview: [3, 'check a flow and count its requests before sending any'],
  usage: 'FLOW [options]',
  about: 'Checks a flow and shows the fewest and the most requests it can take, and why. It sends no request.',
  options,
  examples: [
    ['trawler plan coffee.json', 'the stages as a tree, with their requests'],
    ['trawler plan coffee.json --price 0.002', 'also shows the price'],
    ['trawler plan coffee.json --quote', 'a quote: a run within it never sends more'],
    ['trawler plan coffee.json --svg coffee.svg', 'a drawing of the plan'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler plan');
    const { price } = values;
    const priceDigits = Math.max(2, String(price ?? '').split('.')[1]?.length ?? 0);
    if (values.mermaid === true && values.json === true)
      throw new UsageError('--mermaid and --json are different formats. Use one of them.');
    const flow = await openFlow(positionals, 'plan', values);
    const { drawPlan, mermaid, planFlow } = await import('../../flow/index.ts');
    const destinations = await tablesToCheck(flow, values.postgres, io);
    let made: FlowPlan;
    try {
      made = await planFlow(flow, { price, outDir: values.out ?? outFolderOf(flow), destinations });
    } catch (error) {
      if (!(error instanceof TrawlerError)) throw error;
      io.stderr.write(await describeError(error, io)); // nothing was sent
      return ExitCode.usage;
    }
    if (values.svg !== undefined) {
      await writeFile(values.svg, drawPlan(made));
      io.stderr.write(`Wrote the drawing to ${escapeForTerminal(values.svg)}.\n`);
    }
    if (values.json === true) await writeOut(io.stdout, printedJson(made, 2));
    else if (values.mermaid === true) await writeOut(io.stdout, `${escapeLines(mermaid(made).trimEnd())}\n`);
    else await writeOut(io.stdout, renderPlan(made, priceDigits));
    if (values.quote !== true) return ExitCode.done;
    const typed = argv.filter((arg, nth) => !/^--(quote|mermaid|json|svg)(=|$)/.test(arg) && argv[nth - 1] !== '--svg');
    io.stderr.write(await tellQuote(flow, made.quote, commandToResume(typed, io.program)));
    return made.quote.most === undefined ? ExitCode.usage : ExitCode.done;
  },
};

/** Keeps a quote beside its flow, and says what it is. `typed`: the command that runs the flow. */
async function tellQuote(flow: Flow, quote: FlowPlan['quote'], typed: string): Promise<string> {
  if (quote.most === undefined) return `No quote: nothing says where the flow ends. To see what a part of it takes: ${typed} --first 20\n`;
  const { keepQuote, renderQuote } = await import('../quotes.ts');
  await keepQuote(flow, quote);
  return `${renderQuote(quote)} Run within it: ${typed} --quote ${quote.id}\n`;
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

/** Deeper stages aren't indented further, because a long chain would be mostly blanks. */
const maxDepth = 30;

/** A plan as a tree of stages with their requests, and why. Sums of money have `priceDigits` digits after the point. */
export function renderPlan(plan: FlowPlan, priceDigits = 2): string {
  const money = (range: Range): string => moneyOf(range, priceDigits);
  const order = treeOrder(plan.stages);
  const rows = order.map(({ stage, depth }) => [
    `${'  '.repeat(Math.min(depth, maxDepth))}${stage.name}`,
    stage.call,
    range(stage.queries),
    range(stage.requests),
    range(stage.rows),
    ...(stage.price === undefined ? [] : [money(stage.price)]),
  ]);
  const priced = plan.price !== undefined;
  const total = ['total', '', '', range(plan.requests), '', ...(plan.price === undefined ? [] : [money(plan.price)])];
  const why = order.flatMap(({ stage }) =>
    stage.why.map((reason) => `  ${wrapText(escapeForTerminal(`${stage.name}: ${reason}`), 76, '    ')}`),
  );
  return [
    escapeForTerminal(plan.name),
    '',
    renderTable([['STAGE', 'OPERATION', 'QUERIES', 'REQUESTS', 'ROWS', ...(priced ? ['PRICE'] : [])], ...rows, total]),
    '',
    ...(why.length === 0 ? [] : ['Why', ...why, '']),
    ...(plan.services ?? []).map(({ name, requests, price, unit }) => {
      const cost = price.atMost === 0 ? '' : `, which cost ${moneyOf(price, 0, 6)}${unit === undefined ? '' : ` ${unit}`} by its prices`;
      return escapeForTerminal(`${name}: ${range(requests)} requests${cost}`);
    }),
    'No request was sent to make this plan.',
    ...(plan.first === undefined ? [] : [`${describeFirst(plan.first)}.`]),
    '',
  ].join('\n');
}

/** Each stage below its first parent. */
function treeOrder(stages: readonly PlanStage[]): readonly { readonly stage: PlanStage; readonly depth: number }[] {
  const names = new Set(stages.map((stage) => stage.name));
  const below = new Map<string | undefined, PlanStage[]>();
  for (const stage of stages) {
    const parent = stage.each.find((name) => names.has(name));
    getOrInsert(below, parent, () => []).push(stage);
  }
  const order: { readonly stage: PlanStage; readonly depth: number }[] = [];
  const waiting = (below.get(undefined) ?? []).toReversed().map((stage) => ({ stage, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { stage, depth } = next;
    order.push(next);
    for (const child of (below.get(stage.name) ?? []).toReversed()) waiting.push({ stage: child, depth: depth + 1 });
  }
  return order;
}

function range({ atLeast, atMost }: Range): string {
  if (atLeast === atMost) return formatCount(atLeast);
  if (atMost === Infinity) return atLeast === 0 ? 'unknown' : `${formatCount(atLeast)} or more`;
  return `${formatCount(atLeast)} to ${formatCount(atMost)}`;
}

function moneyOf({ atLeast, atMost }: Range, digits: number, most: number = digits): string {
  const sum = (value: number): string => formatSum(value, digits, most);
  return atLeast === atMost ? sum(atLeast) : atMost === Infinity ? `${sum(atLeast)} or more` : `${sum(atLeast)} to ${sum(atMost)}`;
}
