import { whole } from '../../../operators/options/index.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { checkQuery, coerceQuery, lackingParams, type Service } from '../../contract/index.ts';
import type { FlowDefinition, FlowIssue } from '../../flow/index.ts';
import { chooseService, findOperation } from '../chooseService.ts';
import { type Command, type OptionTable, type OptionValues, ExitCode, type Io, UsageError } from '../Command.ts';
import { dependencyFor, starterFiles } from '../starterFiles.ts';
import { isVendorName, allVendors } from '../../services/index.ts';
import { starterFlow } from '../starterFlow.ts';
import { optionIn, paramOptions, parseOptions } from '../parseOptions.ts';
import { escapeLines } from '../text/escapeForTerminal.ts';
import { wrapLines, wrapText } from '../text/textWidth.ts';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../packageVersion.ts';

const options = {
  like: { type: 'string', value: 'NAME', about: 'start from a flow that comes with trawler: ranks, leads …' },
  call: { type: 'string', value: 'OPERATION', about: 'what to crawl: see trawler operations' },
  service: { type: 'string', value: 'NAME', about: 'the vendor whose key you have, such as serper (the built-in service)' },
  each: {
    type: 'string',
    value: 'FAN-OUT',
    multiple: true,
    about: 'what to get for each row of it; may be given several times',
  },
  pages: {
    type: 'string',
    number: whole({ from: 1 }),
    value: 'N',
    about: 'pages of each query (2, or 1 where further pages need a parameter that is not given)',
  },
  name: { type: 'string', value: 'NAME', about: "the flow's name (crawl)" },
  'no-run': { type: 'boolean', about: "don't run the flow on the sandbox" },
} as const;

export const init: Command = {
  name: 'init',
  overview: [1, 'write a flow to start from, and try it on the sandbox'],
  usage: '[DIR] --like NAME [--service NAME] | [DIR] --call OPERATION --PARAMETER VALUE …',
  about:
    'Writes a flow to start from, with package.json, .env.example, .gitignore and AGENTS.md, and runs it on the sandbox. With --like it ' +
    'is one of those that come with trawler, with its seeds and a page that says what it costs, what comes out, and which questions it ' +
    'answers in SQL. With --call it is one operation, each of whose parameters is an option of the same name. No existing file is changed.',
  options,
  examples: [
    ['trawler init my-ranks --like ranks', 'the ranks of a site, ready to run'],
    ['trawler init my-places --like leads --service serper', 'places and their reviews, with a key of Serper'],
    ['trawler init --call OPERATION --query coffee', 'one operation, with the parameters that you give'],
  ],
  async run(argv, io, all) {
    const named = optionIn(argv, 'service');
    if (named !== undefined && !isVendorName(named))
      throw new UsageError('trawler init writes flows of the built-in service and of vendors.', {
        hint: 'For your own, write a flow, and run it with trawler run FLOW --service FILE.',
      });
    const service = await chooseService(named);
    const { folder, flow, values, others } = await readChoices(argv, service);
    const path = `${flow.name}.json`;
    const scripts = !existsSync(join(folder, 'package.json'));
    const dependency = dependencyFor(folder);
    const files = starterFiles(flow, {
      service: named === undefined ? undefined : service,
      dependency,
      packageJson: scripts,
      env: !existsSync(join(folder, '.env.example')),
      gitignore: !existsSync(join(folder, '.gitignore')),
      agents: !existsSync(join(folder, 'AGENTS.md')),
    });
    await writeNew(folder, { ...files, ...others });
    const written = Object.keys({ ...files, ...others }).map((name) => join(folder, name));
    say(io, `Wrote ${written.join(', ')}.`);
    if (scripts && dependency.startsWith('file:'))
      say(
        io,
        `package.json takes trawler from ${dependency.slice('file:'.length)}: there is no release yet, and a name alone could be ` +
          `anybody's package.`,
      );
    if (values['no-run'] !== true) {
      say(io, 'Running it on the sandbox, which needs no key and makes its rows up:');
      const { run } = await import('./run.ts');
      const code = await run.run([join(folder, path), '--sandbox', '--out', join(folder, 'out', 'sandbox')], io, all);
      if (code !== ExitCode.done) return code;
    }
    say(io, nextSteps(folder, path, scripts));
    if (flow.store === undefined && values['no-run'] !== true)
      say(io, `An update on the sandbox, a week later:\n  npx trawler run ${path} --sandbox --out out/sandbox --update --day 7`);
    if (others !== undefined) say(io, `What it costs, what comes out, and how to run it weekly: ${flow.name}.md.`);
    else for (const line of morePages(service, flow)) say(io, wrapText(line, 80));
    return ExitCode.done;
  },
};

/** Throws if one of the files exists. */
async function writeNew(folder: string, files: { readonly [name: string]: string }): Promise<void> {
  const taken = Object.keys(files).filter((name) => existsSync(join(folder, name)));
  if (taken.length > 0)
    throw new UsageError(`${taken.join(' and ')} ${taken.length > 1 ? 'exist' : 'exists'} already.`, {
      hint: 'Choose another --name or another folder.',
    });
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { flag: 'wx' });
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(`Nothing can be written into ${folder} (${code}).`, { hint: 'Choose another folder: trawler init DIR' });
  }
}

function say(io: Io, text: string): void {
  io.stderr.write(`${wrapLines(escapeLines(text), io.stderr)}\n`);
}

/** `scripts`: package.json has them. */
function nextSteps(folder: string, path: string, scripts: boolean): string {
  const steps = [
    ...(folder === '.' ? [] : [[`cd ${folder}`]]),
    ...(scripts ? [['npm install']] : []),
    [scripts ? 'npm run plan' : `npx trawler plan ${path}`, 'how many requests the crawl takes'],
    [scripts ? 'npm run crawl' : `npx trawler run ${path} --env .env`],
    [scripts ? 'npm run show' : 'npx trawler show', 'the run and its rows in the browser, also while it runs'],
  ];
  const width = Math.max(...steps.map(([command = '', about]) => (about === undefined ? 0 : command.length)));
  const lines = steps.map(([command = '', about]) => (about === undefined ? `  ${command}` : `  ${command.padEnd(width)}  ${about}`));
  return (
    `\nNext, put the service's key into .env, as in .env.example. Then:\n${lines.join('\n')}\nThe flow is in ${path}. After a ` +
    `change, the plan checks it.`
  );
}

/** What the first stage lacks for pages after the first. */
function morePages({ operations }: Service, { name, stages }: FlowDefinition): readonly string[] {
  const { call, with: query = {} } = Object.values(stages)[0]!;
  const { paging, params } = operations[call]!.spec;
  return lackingParams(paging, query).map((param) => {
    const { about } = params[param]!;
    return (
      `Pages after the first of ${call} need ${param}${about === undefined ? '' : ` (${about})`}. For more rows, add ${param} to ` +
      `"with" in ${name}.json, and "pages" beside it.`
    );
  });
}

interface Choices {
  readonly folder: string;
  readonly flow: FlowDefinition;
  readonly values: OptionValues<typeof options>;
  /** Files beside the flow, by name. */
  readonly others?: { readonly [name: string]: string };
}

/** Options that a flow to start from decides itself. */
const decided = ['call', 'each', 'pages', 'name'] as const;

async function readChoices(argv: readonly string[], service: Service): Promise<Choices> {
  const [like, call] = [optionIn(argv, 'like'), optionIn(argv, 'call')];
  if (like !== undefined) return likedChoices(argv, like, service);
  if (call === undefined) {
    const names = likedFlows().map(({ value, about }) => `\n  ${value.padEnd(14)}${about}`);
    throw new UsageError('trawler init needs to know what to crawl: --like NAME, or --call OPERATION --PARAMETER VALUE', {
      hint: `'trawler operations' lists the operations. NAME is one of these:${names.join('')}`,
    });
  }
  const operation = await findOperation(service, call);
  const params = paramOptions(operation);
  const { values, positionals } = parseOptions(argv, { ...params, ...options } as OptionTable & typeof options, 'trawler init');
  if (positionals.length > 1) throw new UsageError(`trawler init takes one folder, not also '${positionals[1]}'.`);
  const given = Object.entries(values).filter(([param]) => Object.hasOwn(params, param) && !Object.hasOwn(options, param));
  const query = coerceQuery(operation, Object.fromEntries(given.map(([param, value]) => [param, String(value)])));
  const wrong = checkQuery(operation, query);
  if (wrong.length > 0) throw new UsageError(wrong.map(({ param, message }) => `${message.replace(param, `--${param}`)}.`).join('\n  '));
  const { name, each, pages } = values;
  if (name !== undefined && !/^[\p{L}\p{N}._-]+$/u.test(name))
    throw new UsageError(`--name is letters, digits, '.', '_' and '-', not '${name}'.`);
  return { folder: positionals[0] ?? '.', flow: await starterFlow(service, { operation, query, pages, name, each }), values };
}

async function likedChoices(argv: readonly string[], like: string, service: Service): Promise<Choices> {
  const { values, positionals } = parseOptions(argv, options, 'trawler init');
  if (positionals.length > 1) throw new UsageError(`trawler init takes one folder, not also '${positionals[1]}'.`);
  const beside = decided.find((option) => values[option] !== undefined);
  if (beside !== undefined) throw new UsageError(`--like ${like} has its own ${beside}: leave out --${beside}, and change ${like}.json.`);
  const { flow, files } = likedFlow(like);
  if (values.service !== undefined) await refuseLacking(like, service);
  return { folder: positionals[0] ?? '.', flow, values, others: files };
}

/** A flow that comes with the package, to start from. */
interface LikedFlow {
  /** Where it is. */
  readonly path: string;
  readonly flow: FlowDefinition;
  /** Its page and its seeds, by name. */
  readonly files: { readonly [name: string]: string };
}

/** The flows to start from, with what each is for: the first line below the heading of its page. */
export function likedFlows(): readonly { readonly value: string; readonly about: string }[] {
  const folder = flowsFolder();
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, `${name}.json`)));
  return names.toSorted().map((value) => {
    const [, about = ''] = readFileSync(join(folder, value, `${value}.md`), 'utf8').split('\n\n');
    return { value, about: about.replaceAll('\n', ' ').replace(/\.$/, '') };
  });
}

/** Reads one of them. Throws a UsageError that lists them if there is none of this name. */
function likedFlow(name: string): LikedFlow {
  const known = likedFlows().map(({ value }) => value);
  if (!known.includes(name))
    throw new UsageError(`There is no flow '${name}' to start from.`, {
      unknown: { given: name, known, say: (nearest) => nearest },
      hint: `There are ${known.join(', ')}.`,
    });
  const folder = join(flowsFolder(), name);
  const path = join(folder, `${name}.json`);
  const { $schema: _, ...flow } = JSON.parse(readFileSync(path, 'utf8')) as FlowDefinition;
  const others = readdirSync(folder).filter((file) => file !== `${name}.json`);
  return { path, flow, files: Object.fromEntries(others.map((file) => [file, readFileSync(join(folder, file), 'utf8')])) };
}

/** The faults of a flow with a vendor: what the flow asks for and the vendor lacks. */
export async function faultsWith(name: string, service: Service): Promise<readonly FlowIssue[]> {
  const { checkFlow } = await import('../../flow/index.ts');
  const { flow, path } = likedFlow(name);
  return checkFlow({ ...flow, service }, { folder: dirname(path), others: await allVendors() });
}

/** Throws a UsageError if a vendor lacks what a flow asks for. It says who has it, and which flows the vendor can run. */
async function refuseLacking(name: string, service: Service): Promise<void> {
  const faults = await faultsWith(name, service);
  if (faults.length === 0) return;
  const calls = faults.filter(({ path }) => path.endsWith('.call'));
  const lacking = new Set((calls.length > 0 ? calls : faults).map(({ message }) => message));
  const able: string[] = [];
  for (const { value } of likedFlows()) if ((await faultsWith(value, service)).length === 0) able.push(`--like ${value}`);
  throw new UsageError(`${service.name} lacks what the flow ${name} asks for:\n  ${[...lacking].join('\n  ')}`, {
    hint: `With ${service.name} these run: ${able.join(', ')}`,
  });
}

function flowsFolder(): string {
  return fileURLToPath(new URL('examples/flows/', packageRoot()!.folder));
}
