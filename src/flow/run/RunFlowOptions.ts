import type { AccountLeft } from './FlowProgress.ts';
import type { Quote } from '../plan/FlowPlan.ts';
import type { FileSystem } from '../../sinks/index.ts';
import type { Destinations } from '../load/RunLoads.ts';
import type { FlowClient } from './FlowClient.ts';
import { anything, flag, having, number, signal, text, whole, declareOptions } from '../../../operators/options/index.ts';

export interface RunFlowOptions {
  /** The client that sends the flow's requests. A flow that names no service has the client's. */
  readonly client: FlowClient;
  /** A client for each other service that stages name. @default none */
  readonly clients?: readonly FlowClient[] | undefined;
  /** The output folder. It is made if it doesn't exist. */
  readonly outDir: string;
  /** Resume an earlier run in the same folder. false: fail if there is one. @default true */
  readonly resume?: boolean | undefined;
  /** Move the files of an earlier run into a numbered folder inside `outDir`, and start over. @default false */
  readonly fresh?: boolean | undefined;
  /**
   * Also retry failed queries, and add their rows to the finished files. Resumes an unfinished update. Goes with neither
   * `fresh` nor `update`. @default false
   */
  readonly failures?: boolean | undefined;
  /**
   * Bring a finished run up to date: request what is new, keep the rest, and write the changes to `changes`. A run
   * that is unfinished or missing is finished first. @default false
   */
  readonly update?: boolean | undefined;
  /**
   * Resume in a folder with a damaged journal or files, from the last intact commit. A copy of everything is
   * kept. Without this option, such a folder is an error that says what is wrong and how much must be requested again.
   * @default false
   */
  readonly repair?: boolean | undefined;
  /**
   * Take only this many first queries of each stage that runs over no other, through all stages. Then the run is
   * `interrupted`, and one without this option requests the rest. Goes with neither `failures` nor `update`. @default no limit
   */
  readonly first?: number | undefined;
  /** Queries in flight. The client decides how many requests are in flight. @default 32 */
  readonly concurrency?: number | undefined;
  /**
   * Runs within a quote of `planFlow`, and stops before it sends more requests than that, in all of its runs. A flow or a service that
   * has changed since is refused. @default none
   */
  readonly quote?: Quote | undefined;
  /** Request budget of this run, retries included. @default the flow's */
  readonly maxRequests?: number | undefined;
  /** The longest time until a page survives a power cut. It usually survives the end of the process at once. @default 1000 */
  readonly commitMs?: number | undefined;
  /** The price of one request, in any currency. Summary and report say what the run cost. @default none */
  readonly price?: number | undefined;
  /** Called at the end: returns what is left in the accounts, for the summary, the report and the page. @default none */
  readonly accounts?: (() => Promise<readonly AccountLeft[]>) | undefined;
  /** The command that runs this flow again, for the report. @default none: the report shows code */
  readonly command?: string | undefined;
  /** Stops the run like unsubscribing, but still emits the summary. @default none */
  readonly signal?: AbortSignal | undefined;
  /** The stream for seeds from `-`. @default process.stdin */
  readonly stdin?: NodeJS.ReadableStream | undefined;
  /** Destinations that `to` may name, by the word before the colon. @default postgres: where DATABASE_URL or PGHOST … say */
  readonly destinations?: Destinations | undefined;
  /** How long a run waits at its end for a destination that takes nothing. Then it is `interrupted`. @default 60000 */
  readonly loadWaitMs?: number | undefined;
  /** The disk to write to, and to read seeds from if `flow` is a definition. @default the flow's, which is nodeFileSystem */
  readonly fileSystem?: FileSystem | undefined;
}

export const runFlowOptions = declareOptions<RunFlowOptions>()({
  client: anything<FlowClient>(),
  clients: anything<readonly FlowClient[]>(),
  outDir: text('a path').needed(),
  resume: flag().or(true),
  fresh: flag().or(false),
  failures: flag().or(false),
  update: flag().or(false),
  repair: flag().or(false),
  first: whole({ from: 1 }),
  concurrency: whole({ from: 1, finite: true }).or(32),
  quote: anything<Quote>(),
  maxRequests: whole({ from: 1 }),
  commitMs: number({ from: 0, to: 60_000 }).or(1000),
  price: number({ from: 0 }),
  accounts: anything<() => Promise<readonly AccountLeft[]>>(),
  command: anything<string>(),
  signal: signal(),
  stdin: having('a readable stream', 'on'),
  destinations: anything<Destinations>(),
  loadWaitMs: number({ from: 0 }).or(60_000),
  fileSystem: having('a file system', 'open'),
});

/** The options of a run with their defaults, and a signal that is also aborted when the run is unsubscribed. */
export type StartedOptions = ReturnType<typeof runFlowOptions.read<RunFlowOptions>> & { readonly signal: AbortSignal };

type Mode = Pick<RunFlowOptions, 'fresh' | 'failures' | 'update' | 'first'>;

/** Throws a RangeError if a run can't do all of this at once. */
export function checkMode(caller: string, mode: Mode): void {
  const fault = modeFault(mode);
  if (fault !== undefined) throw new RangeError(`${caller}: ${fault}`);
}

/** Why a run can't do all of this at once. undefined: it can. `say`: how an option is written. */
export function modeFault({ fresh, failures, update, first }: Mode, say = (option: string): string => option): string | undefined {
  if (first !== undefined && (failures === true || update === true))
    return `${say('first')} begins a run and ${say(failures === true ? 'failures' : 'update')} works on a finished one. Use one of them.`;
  if (failures !== true) return undefined;
  if (fresh === true) return `${say('fresh')} starts over and ${say('failures')} adds to what is there. Use one of them.`;
  return update === true ? `${say('update')} requests what is new and ${say('failures')} only what failed. Use one of them.` : undefined;
}
