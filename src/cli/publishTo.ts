import { countOf } from '../../operators/kit/countOf.ts';
import { formatBytes } from '../flow/report/index.ts';
import type { FlowIdentity, PublishEvent, PublishReport } from '../publish/index.ts';
import { type OptionValues, abortedCode, ExitCode, type Io, writeOut } from './Command.ts';
import { describeError } from './describeError.ts';
import { escapeForTerminal, printedJson, escapeLines } from './text/escapeForTerminal.ts';

/** The options of every command that publishes. */
export const publishOptions = {
  'into-existing': { type: 'boolean', about: "publish although another flow's dataset is there; its files stay as they are" },
} as const;

interface PublishToOptions extends OptionValues<typeof publishOptions> {
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** Publishes the folder of a finished run. Errors go to stderr. Resolves to the exit code, which tells of a run that failed, too. */
export async function publishTo(folder: string, url: string, values: PublishToOptions, io: Io): Promise<number> {
  const { nodeFileSystem } = await import('../sinks/index.ts');
  const { openTarget, publishFolder } = await import('../publish/index.ts');
  const watch = watchPublishing(io, values.quiet === true || values.json === true);
  try {
    const target = await openTarget(url, { fileSystem: nodeFileSystem, env: io.env, signal: io.signal });
    try {
      const report = await publishFolder(folder, target, {
        intoExisting: values['into-existing'],
        signal: io.signal,
        tell: watch.tell,
        fileSystem: nodeFileSystem,
      });
      watch.close();
      if (values.json === true) await writeOut(io.stdout, printedJson({ type: 'published', url: target.url, ...report }));
      else if (values.quiet !== true) io.stderr.write(escapeLines(summaryOf(report, target.url)));
      return report.outcome === 'failed' ? ExitCode.failures : ExitCode.done;
    } finally {
      target.close();
    }
  } catch (error) {
    watch.close();
    return failed(error, io, watch.began());
  }
}

/**
 * Looks whether a flow can be published to a target, before its run costs anything. If it can't, says why and resolves to the
 * exit code.
 */
export async function checkPublish(flow: FlowIdentity, url: string, values: PublishToOptions, io: Io): Promise<number | undefined> {
  const { nodeFileSystem } = await import('../sinks/index.ts');
  const { checkTarget, openTarget } = await import('../publish/index.ts');
  try {
    const target = await openTarget(url, { fileSystem: nodeFileSystem, env: io.env, signal: io.signal });
    try {
      await checkTarget(target, flow, values['into-existing'] === true);
      return undefined;
    } finally {
      target.close();
    }
  } catch (error) {
    return failed(error, io, false);
  }
}

/** Says what went wrong, and resolves to the exit code. `began`: something has reached the target. */
async function failed(error: unknown, io: Io, began: boolean): Promise<number> {
  if (io.signal.aborted) {
    io.stderr.write('Not published. The same command resumes.\n');
    return abortedCode(io.signal);
  }
  io.stderr.write(await describeError(error, io));
  if ((error as Error).name === 'BusyError') return ExitCode.busy;
  return began ? ExitCode.failures : ExitCode.usage;
}

interface PublishWatch {
  /** Whether anything has reached the target. */
  readonly began: () => boolean;
  readonly tell: (event: PublishEvent) => void;
  readonly close: () => void;
}

/** Says what is uploaded: a line for each file, and from time to time one of how far it is. */
function watchPublishing(io: Io, quiet: boolean): PublishWatch {
  let last: Extract<PublishEvent, { type: 'progress' }> | undefined;
  const say = (text: string): void => {
    if (!quiet) io.stderr.write(`${escapeForTerminal(text)}\n`);
  };
  const timer = setInterval(() => {
    if (last !== undefined) say(`Publishing: ${formatBytes(last.bytes)} of ${formatBytes(last.of)}`);
  }, 10_000);
  timer.unref();
  return {
    began: () => last !== undefined,
    tell(event) {
      if (event.type === 'progress') last = event;
      else if (event.type === 'notice') say(event.message);
      else say(`${event.name}: ${formatBytes(event.bytes)}, ${event.kept ? 'unchanged' : 'uploaded'}`);
    },
    close: () => clearInterval(timer),
  };
}

function summaryOf({ version, outcome, already, uploaded, kept }: PublishReport, url: string): string {
  const what = already
    ? `Published before, as version ${version}: nothing has changed since.`
    : `Published as version ${version}: ${countOf(uploaded.files, 'file')} uploaded (${formatBytes(uploaded.bytes)}), ` +
      `${kept.files} unchanged.`;
  return `${what} The run's outcome: ${outcome}.\nReaders open ${url}/datapackage.json\n`;
}
