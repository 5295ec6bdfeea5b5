import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { coerceQuery, columnsOf, type Operation, type Service } from '../../contract/index.ts';
import type { FlowDefinition, StageDefinition } from '../../flow/index.ts';
import { Asker } from '../Asker.ts';
import { chooseService, findOperation } from '../chooseService.ts';
import type { Command, OptionTable, OptionValues } from '../Command.ts';
import { ExitCode } from '../ExitCode.ts';
import { commandWithEnv, starterFiles } from '../starterFiles.ts';
import type { Io } from '../Io.ts';
import { numberOption } from '../numberOption.ts';
import { optionIn, paramOptions, parseOptions } from '../parseOptions.ts';
import { escapeLines } from '../text/escapeForTerminal.ts';
import { UsageError } from '../UsageError.ts';

const options = {
  call: { type: 'string', value: 'OPERATION', about: 'what to crawl: see trawler operations (asked for on a terminal)' },
  each: {
    type: 'string',
    value: 'FAN-OUT',
    multiple: true,
    about: 'what to get for each row of it; may be given several times',
  },
  pages: { type: 'string', value: 'N', about: 'pages of each query (2)' },
  name: { type: 'string', value: 'NAME', about: "the flow's name (the operation's)" },
  script: { type: 'boolean', about: 'also write crawl.mjs, which runs the flow from code' },
  'no-run': { type: 'boolean', about: "don't run the flow on the sandbox" },
} as const;

export const init: Command = {
  name: 'init',
  usage: '[DIR] [--call OPERATION --PARAMETER VALUE …] [options]',
  about:
    'Writes a flow to start from, with a package.json and a .env.example, and runs it on the sandbox. On a terminal it asks what to crawl. Each parameter of the operation is an option of the same name. No existing file is changed.',
  options,
  examples: [['trawler init', 'asks what to crawl']],
  async run(argv, io) {
    const service = await chooseService(undefined);
    const asker = new Asker(io);
    try {
      const { folder, flow, values } = await readResponses(argv, service, asker);
      const script = values.script === true;
      const missing = (name: string): boolean => !existsSync(join(folder, name));
      const packageJson = missing('package.json');
      const files = starterFiles(flow, { script, packageJson, env: missing('.env.example') });
      const taken = Object.keys(files).filter((name) => existsSync(join(folder, name)));
      if (taken.length > 0)
        throw new UsageError(`${taken.join(' and ')} ${taken.length > 1 ? 'exist' : 'exists'} already.`, {
          hint: 'Choose another --name or another folder.',
        });
      await mkdir(folder, { recursive: true });
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { flag: 'wx' });
      const path = join(folder, `${flow.name}.json`);
      say(
        io,
        `Wrote ${Object.keys(files)
          .map((name) => join(folder, name))
          .join(', ')}.`,
      );
      if (values['no-run'] !== true) {
        say(io, 'Running it on the sandbox, which needs no key:\n');
        const { run } = await import('./run.ts');
        const code = await run.run([path, '--sandbox', '--out', join(folder, 'out', 'sandbox')], io);
        if (code !== ExitCode.done) return code;
      }
      say(io, nextSteps(folder, `${flow.name}.json`, packageJson));
      return ExitCode.done;
    } finally {
      asker.close();
    }
  },
};

function say(io: Io, text: string): void {
  io.stderr.write(`${escapeLines(text)}\n`);
}

function nextSteps(folder: string, path: string, scripts: boolean): string {
  const steps = [
    ...(folder === '.' ? [] : [[`cd ${folder}`]]),
    ['cp .env.example .env', "then put the service's address and key into it"],
    ...(scripts ? [['npm install']] : []),
    [scripts ? 'npm run plan' : `npx trawler plan ${path}`, 'how many requests the crawl takes'],
    [scripts ? 'npm run crawl' : `${commandWithEnv} run ${path}`],
  ];
  const lines = steps.map(([command = '', about]) => (about === undefined ? `  ${command}` : `  ${command.padEnd(24)} ${about}`));
  return `\nNext:\n${lines.join('\n')}\nThe flow is in ${path}. After a change, trawler plan checks it.`;
}

interface Responses {
  readonly folder: string;
  readonly flow: FlowDefinition;
  readonly values: OptionValues<typeof options>;
}

async function readResponses(argv: readonly string[], service: Service, asker: Asker): Promise<Responses> {
  const named = optionIn(argv, 'call') ?? (await askOperation(service, asker));
  const operation = findOperation(service, named);
  const params = paramOptions(operation);
  const { values, positionals } = parseOptions(argv, { ...params, ...options } as OptionTable & typeof options, 'trawler init');
  if (positionals.length > 1) throw new UsageError(`trawler init takes one folder, not also '${positionals[1]}'.`);
  const given = Object.entries(values).filter(([param]) => Object.hasOwn(params, param) && !Object.hasOwn(options, param));
  const texts = new Map(given.map(([param, value]) => [param, String(value)]));
  for (const [param, spec] of Object.entries(operation.params)) {
    if (spec.required === true && !texts.has(param) && asker.canAsk) texts.set(param, await asker.ask(`${param} (${spec.about})`));
  }
  const flow = await flowOf(operation, coerceQuery(operation, Object.fromEntries(texts)), service, values, asker);
  return { folder: positionals[0] ?? '.', flow, values };
}

async function askOperation(service: Service, asker: Asker): Promise<string> {
  if (!asker.canAsk) {
    throw new UsageError('trawler init needs to know what to crawl: --call OPERATION --PARAMETER VALUE', {
      hint: "'trawler operations' lists the operations. On a terminal, trawler init asks.",
    });
  }
  const all = Object.values(service.operations).map(({ name, spec }) => ({ value: name, about: spec.about }));
  return asker.choose('What do you want to crawl?', all);
}

async function flowOf(
  operation: Operation,
  query: object,
  service: Service,
  values: OptionValues<typeof options>,
  asker: Asker,
): Promise<FlowDefinition> {
  const pages = numberOption('pages', values.pages) ?? 2;
  const root = { call: operation.name, with: query, ...pagesOf(operation, pages), to: `${operation.name}.csv` } as StageDefinition;
  const name = values.name ?? operation.name;
  const fitting = await fanOutsFor(operation.name, root, service);
  const each = values.each ?? (fitting.length > 0 && asker.canAsk ? await asker.chooseAny('What else, for each row?', fitting) : []);
  const unfit = each.find((one) => !fitting.some(({ value }) => value === one));
  if (unfit !== undefined) {
    const known = fitting.map(({ value }) => value);
    throw new UsageError(`'${unfit}' can't run over the rows of ${operation.name}.`, {
      unknown: { given: unfit, known, say: (nearest) => `--each ${nearest}` },
      hint: known.length === 0 ? undefined : `These can: ${known.join(', ')}`,
    });
  }
  const children = each.map((one) => {
    const called = service.operations[service.fanOuts[one]!.call]!;
    const keep = parentColumn(operation, called);
    return [one, { call: one, each: operation.name, ...keep, ...pagesOf(called, pages), to: `${one}.jsonl` } as StageDefinition] as const;
  });
  const flow: FlowDefinition = { name, stages: { [operation.name]: root, ...Object.fromEntries(children) } };
  await (await import('../../flow/index.ts')).planFlow(flow); // refuses a flow that can't be right
  return flow;
}

function pagesOf(operation: Operation, pages: number): { readonly pages?: number } {
  return operation.spec.paging.kind === 'none' ? {} : { pages };
}

/** A column that says which row of the stage above a row belongs to. */
function parentColumn(above: Operation, called: Operation): { readonly keep?: object } {
  const field = ['title', 'name'].find((name) => columnsOf(above).some(({ path }) => path === name));
  const column = `parent_${field}`;
  return field === undefined || columnsOf(called).some(({ path }) => path === column) ? {} : { keep: { [column]: `$.${field}` } };
}

/** The ready fan-outs that find what they need in the rows of a stage: those that the check of flows accepts. */
async function fanOutsFor(
  name: string,
  root: StageDefinition,
  service: Service,
): Promise<readonly { readonly value: string; readonly about: string }[]> {
  const { checkFlow } = await import('../../flow/index.ts');
  return Object.entries(service.fanOuts)
    .filter(
      ([fanOut]) =>
        checkFlow({ name: 'x', stages: { [name]: root, [fanOut]: { call: fanOut, each: name } } } as FlowDefinition, { service }).length ===
        0,
    )
    .map(([value, { about }]) => ({ value, about }));
}
