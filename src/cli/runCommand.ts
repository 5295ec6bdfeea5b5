import { chooseService } from './chooseService.ts';
import { commands } from './commands.ts';
import { describeError } from './describeError.ts';
import { abortedCode, codeOfError, ExitCode, InterruptedError, type Io, OutputError, writeOut, UsageError } from './Command.ts';
import { isHelp, renderHelp } from './renderHelp.ts';
import { packageVersion } from './packageVersion.ts';

/** Runs the command that `argv` names. Resolves to the exit code. Errors go to stderr and aren't thrown. */
export async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  const code = await perform(argv, io);
  const { reason } = io.signal;
  if (!(reason instanceof OutputError)) return code;
  io.stderr.write(await describeError(reason, io));
  return ExitCode.failures;
}

async function perform(argv: readonly string[], io: Io): Promise<number> {
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
      await writeOut(io.stdout, `${packageVersion()}\n`);
      return ExitCode.done;
    }
    if (name === 'help') return await perform([...rest, '--help'], io);
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (entry === undefined) throw unknownCommand(name);
    const command = await entry.load();
    if ((command.helpByName ? rest.slice(0, 1) : rest).some(isHelp)) {
      const { examples } = await chooseService(undefined);
      await writeOut(io.stdout, renderHelp(command, examples?.[name], io.stdout.columns));
      return ExitCode.done;
    }
    if (Object.hasOwn(command.options, 'env')) (await import('./parseOptions.ts')).readEnvFile(rest);
    return await command.run(rest, io, commands);
  } catch (error) {
    if (error instanceof InterruptedError) return abortedCode(io.signal);
    io.stderr.write(await describeError(error, io));
    return codeOfError(error as Error);
  }
}

/** With these a crawl is written, priced, run and looked at. The others can be read later. */
const firstCommands = 5;

async function overview(): Promise<string> {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`);
  const { examples } = await chooseService(undefined);
  return `trawler crawls a search API into CSV, JSONL, Parquet or database files.

A crawl, from the first try to its rows
${lines.slice(0, firstCommands).join('\n')}

More
${lines.slice(firstCommands).join('\n')}

For the options of a command and examples: trawler COMMAND --help

The address and the key of the service come from TRAWLER_BASE_URL and TRAWLER_API_KEY.
To try trawler without them, add --sandbox: ${examples?.['']?.[0]?.[0]}

Exit codes: 0 done; 1 done, with failures; 2 bad input, a refused key or a wrong
address; 3 another run uses the same folder; 4 a limit of the ledger is reached,
or the ledger can't be used; 130 interrupted: by Ctrl-C, or as work is left, such
as after --max-requests; 143 (SIGTERM) or 129 (SIGHUP) interrupted. After 4 and
more, the same command resumes.
`;
}

function unknownCommand(name: string): UsageError {
  const known = Object.keys(commands);
  return new UsageError(`trawler has no command '${name}'.`, {
    unknown: { given: name, known: [...known, '--version', '--help'], say: (nearest) => `'trawler ${nearest}'` },
    hint: `There are: ${known.join(', ')}`,
  });
}
