import type { OptionKind } from '../../operators/options/index.ts';

/** One option of a command. */
interface OptionSpec {
  /** `'boolean'`: a switch. */
  readonly type: 'string' | 'boolean';
  /** The value's name in the help. Every `'string'` has one. */
  readonly value?: string;
  /** The value is a number of this kind. */
  readonly number?: OptionKind<number>;
  readonly about: string;
  /** Can be repeated. */
  readonly multiple?: true;
}

export interface OptionTable {
  readonly [name: string]: OptionSpec;
}

export type OptionValues<T extends OptionTable = OptionTable> = {
  readonly [K in keyof T]?: T[K]['type'] extends 'boolean'
    ? boolean
    : T[K] extends { readonly multiple: true }
      ? readonly string[]
      : T[K] extends { readonly number: OptionKind<number> }
        ? number
        : string;
};

/** One command: its help as data, and its function. */
export interface Command {
  readonly name: string;
  /** The command's rank in the overview, and its line there. `npm run docs` writes `commands.ts` from it. */
  readonly overview: readonly [rank: number, about: string];
  /** The text after the name: `FLOW [options]`. */
  readonly usage: string;
  /** A paragraph. */
  readonly about: string;
  readonly options: OptionTable;
  /** The options in the help, a heading for each group. Every option is in one. Left out: one list. */
  readonly groups?: { readonly [heading: string]: readonly string[] };
  /** Complete command lines, each with its effect. */
  readonly examples: readonly (readonly [line: string, about: string])[];
  /** The command has other help for each first argument: `trawler call mapsSearch --help`. */
  readonly helpByName?: true;
  /** `argv` holds the arguments after the command's name. `all`: every command. Resolves to the exit code. */
  readonly run: (argv: readonly string[], io: Io, all: Commands) => Promise<number>;
}

/** The commands by name, each loaded when it is needed. */
interface Commands {
  readonly [name: string]: { readonly load: () => Promise<Command> };
}

/** The environment of a command. `main` passes the process's own, tests pass others. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream;
  /** For data only. */
  readonly stdout: Output;
  /** For everything that isn't data. */
  readonly stderr: Output;
  /** What was typed to start the command, for commands to type next. @default 'trawler' */
  readonly program?: string;
  readonly env: { readonly [name: string]: string | undefined };
  /**
   * Aborted to stop the command. The reason is the name of the first SIGINT or SIGTERM, 'EPIPE' when the reader of stdout is gone, or an
   * OutputError.
   */
  readonly signal: AbortSignal;
}

/** A stream to write to, which may be a terminal. */
export interface Output {
  write(text: string): boolean;
  once(event: 'drain' | 'close' | 'error', run: () => void): unknown;
  off(event: 'drain' | 'close' | 'error', run: () => void): unknown;
  readonly destroyed: boolean;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Writes, and waits for a reader who is slower; a reader who has gone is not waited for. */
export async function writeOut(output: Output, text: string): Promise<void> {
  if (output.destroyed || output.write(text)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'error'] as const) output.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error'] as const) output.once(event, done);
  });
}

/** The exit codes of the command. */
export const ExitCode = {
  done: 0,
  /** Done, but with failures. */
  failures: 1,
  /** Bad input. No request was sent. */
  usage: 2,
  /** Another run is using the same folder. No request was sent. */
  busy: 3,
  /** A limit of the ledger is reached, or the ledger can't be used. No more was sent. */
  budget: 4,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** Errors that come before the first request. */
const beforeRequests = new Set(['UsageError', 'InvalidQueryError', 'FlowError', 'RangeError']);

/** The exit code of an error that a command throws. */
export function codeOfError({ name }: Error): number {
  return beforeRequests.has(name) ? ExitCode.usage : ExitCode.failures;
}

/** The exit code of a stopped command. A reader that has gone is not an error. */
export function abortedCode(signal: AbortSignal): number {
  if (signal.reason === 'EPIPE') return ExitCode.done;
  if (signal.reason === 'SIGHUP') return ExitCode.hungUp;
  return signal.reason === 'SIGTERM' ? ExitCode.terminated : ExitCode.interrupted;
}

/** The command was told to stop. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** Standard output can't be written, though it has a reader. */
export class OutputError extends Error {
  override readonly name = 'OutputError';

  constructor(because: string) {
    super(`standard output can't be written: ${because}`);
  }
}

interface UsageErrorOptions {
  /** What to do now. */
  readonly hint?: string | undefined;
  /** An unknown name and the known ones. The hint becomes the nearest one, worded by `say`. */
  readonly unknown?: { readonly given: string; readonly known: readonly string[]; readonly say: (nearest: string) => string } | undefined;
}

/** The command line is wrong. No request was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly #options: UsageErrorOptions;

  constructor(message: string, options: UsageErrorOptions = {}) {
    super(message);
    this.#options = options;
  }

  /** What to do now. */
  async hint(): Promise<string | undefined> {
    const { hint, unknown } = this.#options;
    if (unknown === undefined) return hint;
    const { nearestName } = await import('../contract/index.ts'); // loads a lot that a right command may not need
    const nearest = nearestName(unknown.given, unknown.known);
    return nearest === undefined ? hint : `Did you mean ${unknown.say(nearest)}?`;
  }
}

/** Throws a UsageError if the error says that a port is in use, else the error itself. */
export function portTaken(error: Error & { readonly code?: string; readonly port?: number }): never {
  if (error.code !== 'EADDRINUSE') throw error;
  throw new UsageError(`The port ${error.port} is in use.`, { hint: 'Choose another --port, or leave it out for a free one.' });
}
