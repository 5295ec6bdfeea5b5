import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BudgetError, NetworkError, TrawlerError } from '../errors/index.ts';
import type { Service } from '../contract/index.ts';
import type { AnyClient, ClientOptions } from '../index.ts';
import type { Sandbox, SandboxOptions } from '../sandbox/index.ts';
import { type OptionValues, type Io, UsageError, abortedCode, ExitCode, InterruptedError } from './Command.ts';
import { number, whole } from '../../operators/options/index.ts';
import { dayFlag, numberOption } from './parseOptions.ts';
import { serviceOption } from './chooseService.ts';
import { openStoreFor, type storeOptions } from './openStoreFor.ts';
import { describeError } from './describeError.ts';
import { shellWord } from './typedProgram.ts';

/** The options of every command that sends requests. */
export const clientFlags = {
  sandbox: { type: 'boolean', about: 'use an embedded copy of the service, started for this command: its places lie in large cities' },
  day: { ...dayFlag, about: 'with --sandbox: how many days have passed there (0)' },
  ...serviceOption,
  env: { type: 'string', value: 'FILE', about: 'read environment variables from a file, such as .env' },
  'base-url': { type: 'string', value: 'URL', about: 'address of the service (TRAWLER_BASE_URL, or its own)' },
  'path-prefix': { type: 'string', value: 'PATH', about: "what precedes each operation's path (the service's own)" },
  concurrency: { type: 'string', number: whole({ from: 1, to: 10_000 }).or(8), value: 'N', about: 'requests in flight at once' },
  rate: { type: 'string', value: 'N', about: "requests per second, or 'unlimited' (learnt from the service)" },
  'timeout-ms': { type: 'string', number: number({ from: 1 }).or(60_000), value: 'MS', about: 'how long one attempt may take' },
  'max-requests': {
    type: 'string',
    number: whole({ from: 1 }),
    value: 'N',
    about: 'send no more than N requests, retries included (no limit)',
  },
} as const;

type ClientValues = OptionValues<typeof clientFlags> &
  OptionValues<typeof storeOptions> & {
    readonly quiet?: boolean | undefined;
    readonly ledger?: string | undefined;
    /** The folder of the flow, where its variables may stand in `.env`. @default none */
    readonly flowFolder?: string | undefined;
  };

/** Makes the client that the options describe, with its sandbox if there is one. */
export async function openClient(
  values: ClientValues,
  service: Service,
  io: Io,
): Promise<{ readonly client: AnyClient } & AsyncDisposable> {
  const { options, close } = await openAccess(values, service, io);
  try {
    const client = (await import('../index.ts')).createClient({ ...options, service });
    return { client, [Symbol.asyncDispose]: () => client.close().then(close) };
  } catch (error) {
    await close(); // an open sandbox would keep the process alive
    throw error;
  }
}

/** Refuses options that would send the keys of all services of a flow to one place. */
export function refuseForSeveral<Option extends string>(
  services: readonly Service[],
  values: { readonly [name in Option]?: unknown },
  options: readonly Option[],
): void {
  const option = options.find((name) => values[name] !== undefined);
  if (services.length > 1 && option !== undefined)
    throw new UsageError(`--${option} is for a flow of one service; this one has ${services.map(({ name }) => name).join(' and ')}.`);
}

/** The options of a client, with the store and the sandbox that they open. The key comes from the environment only. */
export async function openAccess(
  values: ClientValues,
  service: Service | undefined,
  io: Io,
): Promise<{ readonly options: ClientOptions; readonly close: () => Promise<void> }> {
  const isSandbox = values.sandbox === true;
  const { addressOf, needsOf, sandboxKey, variablesOf } = await import('../contract/index.ts');
  const named = variablesOf(service);
  const baseUrl = values['base-url'] ?? (io.env[named.baseUrl] || addressOf(service ?? {}).origin);
  const apiKey = io.env[named.apiKey];
  const variables = Object.entries(named.secrets).map(
    ([name, variable]) => [name, variable, io.env[variable] || (isSandbox ? 'sandbox' : undefined)] as const,
  );
  const secrets = Object.fromEntries(variables.flatMap(([name, , value]) => (value === undefined ? [] : [[name, value]])));
  if (isSandbox && values['base-url'] !== undefined)
    throw new UsageError('--sandbox and --base-url name different services. Use one of them.');
  if (!isSandbox && values.day !== undefined) throw new UsageError('--day is for the sandbox: add --sandbox.');
  const missing = [
    ...(baseUrl ? [] : [named.baseUrl]),
    ...(apiKey || service === undefined || !needsOf(service).key ? [] : [named.apiKey]),
    ...variables.flatMap(([, variable, value]) => (value === undefined ? [variable] : [])),
  ];
  if (missing.length > 0 && !isSandbox && values.replay === undefined) {
    throw new UsageError(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.`, {
      hint: `${whereToSet(missing.length > 1 ? 'them' : 'it', values)}, or add --sandbox to use the embedded service.`,
    });
  }
  const pathPrefix = values['path-prefix'];
  const store = await openStoreFor(values);
  let sandbox: Sandbox | undefined;
  const close = async (): Promise<void> => {
    await store?.close();
    await sandbox?.close();
  };
  try {
    if (isSandbox) sandbox = await openSandbox({ service, pathPrefix, day: values.day });
    const ledger = (values.ledger ?? io.env['TRAWLER_LEDGER']) || (false as const);
    if (ledger !== false && sandbox === undefined && values.replay === undefined) await checkLedger(ledger);
    const isFree = sandbox !== undefined || apiKey?.split(':')[0] === sandboxKey;
    if (ledger !== false && isFree && values.quiet !== true)
      io.stderr.write('The sandbox costs nothing, so nothing is booked in TRAWLER_LEDGER, and its limits do not count here.\n');
    const at =
      sandbox === undefined ? { baseUrl, apiKey, ledger } : { baseUrl: sandbox.url, ledger: false as const, apiKey: sandbox.apiKey };
    const { concurrency, 'timeout-ms': timeoutMs, 'max-requests': maxRequests } = values;
    return { options: { pathPrefix, concurrency, timeoutMs, maxRequests, rate: rateOption(values.rate), store, secrets, ...at }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A ledger that is damaged is bad input: nothing is sent. */
async function checkLedger(at: string): Promise<void> {
  const { isFileLedger, openLedger } = await import('../ledger/index.ts');
  if (!isFileLedger(at)) return;
  const ledger = await openLedger(at);
  try {
    await ledger.balances();
  } catch (error) {
    throw new UsageError((error as Error).message);
  } finally {
    await ledger.close();
  }
}

/** What to do about variables that are missing. */
function whereToSet(them: string, { env, flowFolder = '' }: ClientValues): string {
  if (env !== undefined) return `Set ${them} in ${env}`;
  const found = ['.env', relative('', join(flowFolder, '.env'))].find((file) => existsSync(file));
  return found === undefined
    ? `Set ${them} in the environment or in a file that --env names`
    : `There is a file ${found}: add --env ${shellWord(found)} to read it. Or set ${them} in the environment`;
}

async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import('../sandbox/index.ts');
  return startSandbox(options);
}

function rateOption(text: string | undefined): 'unlimited' | 'auto' | { readonly requests: number; readonly perMs: number } {
  if (text === undefined || text === 'auto') return 'auto';
  if (text === 'unlimited') return text;
  return { requests: numberOption('rate', text, number({ from: 0.001 })), perMs: 1000 };
}

/** The key is wrong, or the address. While nothing has come, that is bad input. */
async function isWrongService(error: unknown): Promise<boolean> {
  const { isNotThere } = await import('../contract/index.ts');
  return error instanceof TrawlerError && (error.kind === 'auth' || error.kind === 'website' || isNotThere(error));
}

/**
 * Runs a command with the client that its options describe, and closes the client. Errors go to stderr. The exit code
 * says whether any request was sent: by this client, by `others` or, according to `requested`, elsewhere.
 */
export async function withClient(
  values: ClientValues,
  service: Service,
  io: Io,
  work: (client: AnyClient) => Promise<number>,
  requested: () => boolean = () => false,
  others: readonly { readonly client: AnyClient }[] = [],
): Promise<number> {
  await using open = await openClient(values, service, io);
  try {
    return await work(open.client);
  } catch (error) {
    if (error instanceof InterruptedError) return abortedCode(io.signal);
    io.stderr.write(await describeError(error, io));
    if ((error as Error).name === 'BusyError') return ExitCode.busy;
    if (error instanceof BudgetError && error.because !== undefined) return ExitCode.budget;
    if (error instanceof NetworkError && error.operation === undefined) return ExitCode.interrupted; // a database or a queue is away
    const all = [open, ...others].map(({ client }) => client.stats());
    const hasCome = all.some(({ responses, hits }) => responses + hits > 0);
    if (!hasCome && (await isWrongService(error))) return ExitCode.usage;
    return requested() || all.some(({ requests }) => requests > 0) ? ExitCode.failures : ExitCode.usage;
  }
}
