import { chooseService } from './chooseService.ts';
import { commands } from './commands.ts';
import { describeError } from './describeError.ts';
import { abortedCode, ExitCode } from './ExitCode.ts';
import { InterruptedError } from './InterruptedError.ts';
import type { Io } from './Io.ts';
import { isHelp } from './isHelp.ts';
import { renderHelp } from './renderHelp.ts';
import { UsageError } from './UsageError.ts';
import { version } from './version.ts';
import { writeOut } from './writeOut.ts';

/** Errors that come before anything is asked for. */
const beforeAsking = new Set(['UsageError', 'InvalidQueryError', 'FlowError', 'RangeError']);

/** Runs the command that `argv` names. The result is the exit code; errors are told on stderr, not thrown. */
export async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  try {
    if (name === undefined) {
      io.stderr.write(await overview());
      return ExitCode.usage;
    }
    if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
      await writeOut(io.stdout, await overview());
      return ExitCode.done;
    }
    if (name === '--version' || name === '-v') {
      await writeOut(io.stdout, `${version()}\n`);
      return ExitCode.done;
    }
    if (name === 'help') return await runCommand([...rest, '--help'], io);
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (entry === undefined) throw unknownCommand(name);
    const command = await entry.load();
    if (rest.length === 1 && isHelp(rest[0] as string)) {
      await writeOut(io.stdout, renderHelp(command, (await chooseService(undefined)).examples?.[name]));
      return ExitCode.done;
    }
    return await command.run(rest, io);
  } catch (error) {
    if (error instanceof InterruptedError) return abortedCode(io.signal);
    io.stderr.write(await describeError(error, io));
    return beforeAsking.has((error as Error).name) ? ExitCode.usage : ExitCode.failures;
  }
}

async function overview(): Promise<string> {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`);
  const { examples } = await chooseService(undefined);
  return `trawler: search data, from queries to files.

${lines.join('\n')}

'trawler COMMAND --help' says more of each, with examples.

The service's address and key are read from TRAWLER_BASE_URL and TRAWLER_API_KEY.
Without them, --sandbox asks the embedded service: ${examples?.['']?.[0]?.[0]}

Exit codes: 0 done; 1 done with failures on record; 2 bad input, nothing was asked for;
3 another run is under way in the same folder; 130 (SIGINT), 143 (SIGTERM) or
129 (SIGHUP) interrupted, and the same command goes on.
`;
}

function unknownCommand(name: string): UsageError {
  const known = Object.keys(commands);
  return new UsageError(`trawler has no command '${name}'.`, {
    unknown: { given: name, known, say: (nearest) => `'trawler ${nearest}'` },
    hint: `There are: ${known.join(', ')}`,
  });
}
