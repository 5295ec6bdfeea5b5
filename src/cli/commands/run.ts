import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tap } from 'rxjs';
import { whole } from '../../../operators/options/index.ts';
import type { AccountLeft, Flow, FlowProgress, FlowSummary, RunFlowOptions } from '../../flow/index.ts';
import type { AnyClient } from '../../index.ts';
import { SinkError } from '../../errors/index.ts';
import { type Command, abortedCode, codeOfError, ExitCode, type Io, type OptionValues, OutputError, UsageError } from '../Command.ts';
import { flowOptions, openFlow, outFolderOf, postgresOption } from '../openFlow.ts';
import { leftAfter } from './check.ts';
import { clientFlags, openClient, refuseForSeveral, withClient } from '../openClient.ts';
import { storeOptions } from '../openStoreFor.ts';
import { priceOption, parseOptions } from '../parseOptions.ts';
import { formatCount, formatDuration, modeFault, outcomes } from '../../flow/report/index.ts';
import { checkPublish, publishOptions, publishTo } from '../publishTo.ts';
import { metricsOption, serveMetrics } from '../serveMetrics.ts';
import { messageOptions, RunNotifier } from '../RunNotifier.ts';
import { paintFor } from '../text/paintFor.ts';
import { commandToResume } from '../typedProgram.ts';
import { escapeForTerminal } from '../text/escapeForTerminal.ts';

const options = {
  out: { type: 'string', value: 'DIR', about: 'folder for the files (out/NAME of the flow)' },
  first: {
    type: 'string',
    number: whole({ from: 1 }),
    value: 'N',
    about: 'run the first N queries of each stage that runs over no other, and what follows; without it, the same command runs the rest',
  },
  quote: { type: 'string', value: 'ID', about: 'run within a quote of trawler plan --quote, and stop before it is passed' },
  fresh: { type: 'boolean', about: 'start over; the files of an earlier run are moved aside, not deleted' },
  failures: { type: 'boolean', about: 'retry the queries that failed and add their rows; a run that is not finished goes on, too' },
  update: { type: 'boolean', about: 'bring a finished run up to date (stages with since request only what is new), and list the changes' },
  repair: { type: 'boolean', about: 'resume a damaged folder from its last whole commit; a copy of it is kept' },
  ...flowOptions,
  queue: { type: 'string', value: 'QUEUE_URL', about: 'lead workers on other machines over Redis or PostgreSQL: see trawler worker' },
  ...postgresOption,
  show: { type: 'boolean', about: 'serve a page that shows the run, with buttons to pause, resume and retry; it stays until Ctrl-C' },
  port: { type: 'string', number: whole({ from: 0, to: 65_535 }), value: 'N', about: 'with --show: the port of the page (a free one)' },
  ...priceOption,
  quiet: { type: 'boolean', about: 'print only errors, and how the run failed' },
  json: { type: 'boolean', about: 'print progress and summary as JSONL on stdout' },
  publish: {
    type: 'string',
    value: 'URL',
    about: 'publish the finished folder to s3://BUCKET/PREFIX or file:///FOLDER: see trawler publish',
  },
  ...publishOptions,
  ...messageOptions,
  ...metricsOption,
  ...clientFlags,
  ...storeOptions,
  'max-requests': { ...clientFlags['max-requests'], about: 'stop after N requests, retries included; the same command resumes (no limit)' },
} as const;

export const run: Command = {
  name: 'run',
  overview: [2, 'run a flow, or resume it'],
  usage: 'FLOW [options]',
  about:
    'Runs a flow: a .json file, or a module with a flow as its default export. If it stops for any reason, the same command resumes it. ' +
    'No finished page is requested twice.',
  options,
  groups: {
    'What to run': ['first', 'failures', 'update', 'fresh', 'repair', 'allow-read'],
    'What it may cost': ['max-requests', 'quote', 'price', 'store', 'max-age', 'replay'],
    'Where rows go': ['out', 'postgres', 'publish', 'into-existing'],
    'The service': ['sandbox', 'day', 'service', 'env', 'base-url', 'path-prefix', 'concurrency', 'rate', 'timeout-ms'],
    'What you see': ['show', 'port', 'quiet', 'json'],
    'Every night': ['on-end', 'on-end-timeout', 'notify', 'metrics', 'queue'],
  },
  examples: [
    ['trawler run coffee.json', 'write to out/coffee, with a live view on a terminal'],
    ['trawler run coffee.json --sandbox', 'without a key, on the sandbox'],
    ['trawler run coffee.json --out data --max-requests 500', 'stop after 500 requests'],
    ['trawler run coffee.json --first 5', 'only the first five queries, to see real rows for little'],
    ['trawler run coffee.json --failures', 'retry what failed'],
    ['trawler run coffee.json --show', 'watch it in the browser'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler run');
    const twice = modeFault(values, (option) => `--${option}`);
    if (twice !== undefined) throw new UsageError(twice);
    if (values.queue !== undefined && values.replay !== undefined) {
      throw new UsageError('--replay sends no request, so there is nothing to do for workers. Leave out --queue.');
    }
    if (values.publish === undefined && values['into-existing'] !== undefined) {
      throw new UsageError('--into-existing goes with --publish URL.');
    }
    if (values.port !== undefined && values.show !== true) throw new UsageError('--port is for the page: add --show.');
    const flow = await openFlow(positionals, 'run', values);
    const outDir = values.out ?? outFolderOf(flow);
    const { variablesOf } = await import('../../contract/index.ts');
    const secrets = flow.services.flatMap((service) => Object.values(variablesOf(service).secrets));
    const notifier = new RunNotifier(values, io, { flow: flow.name, folder: outDir, secrets });
    try {
      return await runOpened({ argv, values, flow, outDir, notifier, io });
    } catch (error) {
      notifier.failed(error as Error);
      await notifier.ended(codeOfError(error as Error));
      throw error;
    }
  },
};

interface OpenedRun {
  readonly argv: readonly string[];
  readonly values: OptionValues<typeof options>;
  readonly flow: Flow;
  readonly outDir: string;
  readonly notifier: RunNotifier;
  readonly io: Io;
}

async function runOpened({ argv, values, flow, outDir, notifier, io }: OpenedRun): Promise<number> {
  refuseForSeveral(flow.services, values, ['queue', 'base-url']);
  const { publish } = values;
  const refused = publish === undefined ? undefined : await checkPublish(flow, publish, values, io);
  if (refused !== undefined) {
    await notifier.ended(refused);
    return refused;
  }
  const { quoteFault, runFlow } = await import('../../flow/index.ts');
  const quote = values.quote === undefined ? undefined : await (await import('../quotes.ts')).readQuote(flow, values.quote);
  const changed = quote && quoteFault(quote, flow);
  if (changed !== undefined)
    throw new UsageError(`${changed[0]!.toUpperCase()}${changed.slice(1)}.`, {
      hint: 'trawler plan FLOW --quote makes another',
    });
  const { postgresDestination } = await import('../../sinks/index.ts');
  const { watchRun } = await import('../watchRun.ts');
  const maxRequests = values['max-requests'];
  const { 'max-requests': _ours, ...own } = values; // the run stops at it resumably, the client would fail
  const given = { ...own, flowFolder: flow.folder };
  const replay = given.replay ?? (given.store === undefined ? replayed(flow) : undefined);
  const forClient = replay === undefined ? given : { ...given, replay };
  const { variablesOf } = await import('../../contract/index.ts');
  const variables = variablesOf(flow.service);
  // A leader sends no request. Its client sets the rate and the retries, and needs no address and no key.
  const env = {
    [variables.baseUrl]: 'https://service.invalid',
    [variables.apiKey]: 'none:none',
    ...Object.fromEntries(Object.values(variables.secrets).map((variable) => [variable, 'none'])),
    ...io.env,
  };
  await using metrics = await serveMetrics(values.metrics, { flow: flow.name, folder: outDir, quiet: values.quiet, io });
  const listeners = [notifier, ...(metrics === undefined ? [] : [metrics])];
  const others: Awaited<ReturnType<typeof openClient>>[] = [];
  let committed = false;
  let outcome: FlowSummary['outcome'] = 'interrupted';
  const command = commandToResume(argv, io.program);
  const destinations = { postgres: postgresDestination(values.postgres ?? io.env['DATABASE_URL']) };
  const runOnce = async (
    all: readonly AnyClient[],
    mode: RunMode,
    signal: AbortSignal,
    take: (progress: FlowProgress) => void,
  ): Promise<FlowSummary> => {
    const [client, ...clients] = all;
    const isAsked = values.sandbox !== true && replay === undefined && values.queue === undefined && values.quiet !== true;
    const accounts = async (): Promise<readonly AccountLeft[]> =>
      signal.aborted ? [] : (await Promise.all(all.map((one, at) => leftAfter(one, flow.services[at]!)))).flat();
    const runOptions = {
      client: client!,
      clients,
      outDir,
      command,
      price: values.price,
      quote,
      ...mode,
      maxRequests,
      signal,
      stdin: io.stdin,
      destinations,
      accounts: isAsked ? accounts : undefined,
    };
    const progress$ =
      values.queue === undefined
        ? runFlow(flow, runOptions)
        : (await (await import('./queue.ts')).openQueue(values.queue)).leadFlow(flow, { ...runOptions, queue: values.queue });
    const show = values.json === true ? 'json' : values.quiet === true ? 'quiet' : 'auto';
    const told$ = progress$.pipe(
      tap((progress) => {
        take(progress);
        for (const listener of listeners) listener.take(progress);
      }),
    );
    const nameOf = (at: number): string | undefined => (all.length === 1 ? undefined : flow.services[at]!.name);
    const endings = listeners.flatMap((listener) => all.map((one, at) => listener.watch(one, nameOf(at))));
    const explain = (): string => renderExplanation(all.flatMap((one) => one.explain()));
    const summary = await watchRun(told$, { show, maxRequests, io, explain })
      .catch((error: Error) => {
        throw resumeWithRoom(error, command);
      })
      .finally(() => endings.forEach((end) => end()));
    ({ outcome } = summary);
    const { renderSummary } = await import('../renderSummary.ts');
    const paint = paintFor(io.stderr, io.env);
    const columns = io.stderr.isTTY === true ? io.stderr.columns || 80 : undefined;
    if (show === 'auto') {
      const others = ['datapackage.json', 'report.html', 'failures.jsonl', 'empty.jsonl', 'rejected.jsonl'].filter((path) =>
        existsSync(join(outDir, path)),
      );
      io.stderr.write(`\n${renderSummary(summary, { outDir, command, others, paint, columns })}`);
    } else if ((show === 'quiet' || io.signal.reason instanceof OutputError) && codeOf(summary, io) !== ExitCode.done) {
      io.stderr.write(renderSummary({ ...summary, files: [] }, { outDir, command, others: [], paint, columns }).trimEnd() + '\n');
    }
    return summary;
  };
  const afterRun = async (code: number): Promise<number> => {
    let end = code;
    if (publish !== undefined && outcome !== 'interrupted') {
      const published = await publishTo(outDir, publish, values, io);
      end = published === ExitCode.usage ? ExitCode.failures : published || code;
    }
    return (await notifier.ended(end)) ? end : end || ExitCode.failures;
  };
  const lead = async (client: AnyClient): Promise<number> => {
    const all = [client, ...others.map((open) => open.client)];
    const { fresh, failures, repair, update, first } = values;
    const note = ({ type }: FlowProgress): void => void (committed ||= type === 'commit');
    if (values.show !== true) return codeOf(await runOnce(all, { fresh, failures, repair, update, first }, io.signal, note), io);
    const { openShow } = await import('./show.ts');
    const { port, price } = values;
    await using page = await openShow({
      flow,
      folder: outDir,
      clients: all,
      maxRequests,
      command,
      port,
      price,
      io,
    });
    let mode: RunMode | undefined = { fresh, failures, repair, update, first };
    for (;;) {
      const summary = await runOnce(all, mode, AbortSignal.any([io.signal, page.live.paused]), (progress) => {
        note(progress);
        page.live.take(progress);
      });
      const code = await afterRun(codeOf(summary, io));
      const click = await page.live.next(io.signal);
      if (click === undefined) return code;
      mode = click === 'failures' ? { failures: true } : { update };
    }
  };
  const noting = (client: AnyClient): Promise<number> =>
    lead(client).catch((error: Error) => {
      notifier.failed(error);
      throw error;
    });
  const withAll = async (client: AnyClient): Promise<number> => {
    try {
      for (const service of flow.services.slice(1)) others.push(await openClient(forClient, service, io));
      return await noting(client);
    } finally {
      for (const open of others) await open[Symbol.asyncDispose]();
    }
  };
  if (values.sandbox === true && values.update === true) sayEarlierDay(outDir, values.day ?? 0, io);
  const forAll = values.queue === undefined ? io : { ...io, env };
  const code = await withClient(forClient, flow.service, forAll, withAll, () => committed, others);
  if (values.sandbox === true && outcome !== 'interrupted') writeFileSync(dayFile(outDir), String(values.day ?? 0));
  return values.show === true && !notifier.hasFailed ? code : afterRun(code);
}

/** What a run does with what is in its folder. */
type RunMode = Pick<RunFlowOptions, 'fresh' | 'failures' | 'repair' | 'update' | 'first'>;

/** The day of the sandbox in the latest run of a folder. */
function dayFile(folder: string): string {
  return join(folder, '.trawler', 'day');
}

/** Says that the sandbox goes back in time. */
function sayEarlierDay(folder: string, day: number, io: Io): void {
  const last = existsSync(dayFile(folder)) ? Number(readFileSync(dayFile(folder), 'utf8')) : 0;
  if (day >= last) return;
  io.stderr.write(
    `The sandbox goes back from day ${last} to day ${day}: what came in between will look gone. Days go on with --day ${last + 1}.\n`,
  );
}

/** The store of a flow that replays. Such a flow needs no address and no key. */
function replayed({ definition: { store }, folder }: Flow): string | undefined {
  return typeof store === 'object' && store.mode === 'replay' ? join(folder, store.folder) : undefined;
}

function codeOf({ outcome, overLimit, first, stages }: FlowSummary, io: Io): number {
  if (overLimit !== undefined) return ExitCode.budget;
  if (first !== undefined) return stages.some(({ failed }) => failed > 0) ? ExitCode.failures : ExitCode.done;
  if (outcome === 'interrupted') return abortedCode(io.signal);
  return outcomes[outcome].isDone ? ExitCode.done : ExitCode.failures;
}

/** An error of a full disk says how to resume. */
function resumeWithRoom(error: Error, command: string): Error {
  const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new SinkError(`${error.message}. Resume once there is room: ${command}`, { cause: error });
}

/** What a client waits for, a line each. */
export function renderExplanation(waits: ReturnType<AnyClient['explain']>): string {
  if (waits.length === 0) return 'No request is in flight and none waits.';
  const lines = waits.map(({ operation, state, for: reason, count, ms, path }) => {
    const what = state === 'in flight' ? 'in flight' : `${count === 1 ? 'waits' : 'wait'}${reason === undefined ? '' : ` for ${reason}`}`;
    const on = path.length === 0 ? '' : ` (${path.join(' → ')})`;
    return `${operation}: ${formatCount(count)} ${what}, the oldest for ${formatDuration(ms)}${on}`;
  });
  return lines.map(escapeForTerminal).join('\n');
}
