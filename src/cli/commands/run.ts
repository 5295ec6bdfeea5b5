import { namedService } from '../chooseService.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tap } from 'rxjs';
import type { FlowSummary } from '../../flow/index.ts';
import type { AnyClient } from '../../index.ts';
import type { Command } from '../Command.ts';
import { abortedCode, ExitCode } from '../ExitCode.ts';
import { flowArgument } from '../flowArgument.ts';
import type { Io } from '../Io.ts';
import { numberOption } from '../numberOption.ts';
import { clientOptions } from '../openClient.ts';
import { parseOptions } from '../parseOptions.ts';
import { UsageError } from '../UsageError.ts';
import { withClient } from '../withClient.ts';

const options = {
  out: { type: 'string', value: 'DIR', about: "where the files go (out/ and the flow's name)" },
  fresh: { type: 'boolean', about: 'start anew; what an earlier run left is moved aside, not deleted' },
  failures: { type: 'boolean', about: 'run the queries that failed, and add their rows' },
  queue: { type: 'string', value: 'REDIS_URL', about: 'lead many workers over BullMQ: see trawler worker' },
  quiet: { type: 'boolean', about: 'say nothing but errors' },
  json: { type: 'boolean', about: 'progress and summary as JSONL on stdout' },
  ...clientOptions,
  'max-requests': { type: 'string', value: 'N', about: 'stop, resumably, before request N + 1, retries included (none)' },
} as const;

export const run: Command = {
  name: 'run',
  usage: 'FLOW [options]',
  about:
    'Runs a flow: a .json file, or a module whose default export is a flow. Run again after whatever stopped it, the same command goes on where it was; no finished page is asked for twice.',
  options,
  examples: [
    ['trawler run coffee.json', 'into out/coffee, watched if this is a terminal'],
    ['trawler run coffee.json --sandbox', 'without a key, on the embedded service'],
    ['trawler run coffee.json --out data --max-requests 500', 'for 500 requests at most'],
    ['trawler run coffee.json --failures', 'once more, what failed'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler run');
    const path = flowArgument(positionals, 'run');
    if (values.fresh === true && values.failures === true) {
      throw new UsageError('--fresh starts anew and --failures adds to what is there; give one of them.');
    }
    const { loadFlow, runFlow } = await import('../../flow/index.ts');
    const { watchRun } = await import('../watchRun.ts');
    const flow = await loadFlow(path, { service: await namedService(values.service) });
    const outDir = values.out ?? join('out', flow.name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, ''));
    const maxRequests = numberOption('max-requests', values['max-requests']);
    const { 'max-requests': _ours, ...forClient } = values; // the run stops at it resumably, the client would fail
    // Who leads workers sends nothing: its client says how fast and how often, and needs no address and no key.
    const env = { TRAWLER_BASE_URL: 'https://localhost', TRAWLER_API_KEY: 'none', ...io.env };
    let committed = false;
    const lead = async (client: AnyClient): Promise<number> => {
      const runOptions = {
        client,
        outDir,
        fresh: values.fresh,
        failures: values.failures,
        maxRequests,
        signal: io.signal,
        stdin: io.stdin,
      };
      const progress$ =
        values.queue === undefined
          ? runFlow(flow, runOptions)
          : (await (await import('../openQueue.ts')).openQueue()).runFlow(flow, { ...runOptions, queue: values.queue });
      const show = values.json === true ? 'json' : values.quiet === true ? 'quiet' : 'auto';
      const summary = await watchRun(progress$.pipe(tap(({ type }) => (committed ||= type === 'commit'))), { show, maxRequests, io });
      if (show === 'auto') {
        const { renderSummary } = await import('../renderSummary.ts');
        const others = ['manifest.json', 'report.html', 'failures.jsonl'].filter((path) => existsSync(join(outDir, path)));
        io.stderr.write(`\n${renderSummary(summary, { outDir, command: commandToGoOn(argv), others })}`);
      }
      return codeOf(summary, io);
    };
    return withClient(forClient, flow.service, values.queue === undefined ? io : { ...io, env }, lead, () => committed);
  },
};

/** The command line as it was, but for what holds for one time only; quoted where a shell would ask for it. */
function commandToGoOn(argv: readonly string[]): string {
  const again = argv.filter((arg) => !/^--(fresh|failures)(=|$)/.test(arg));
  return ['trawler run', ...again.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`))].join(' ');
}

function codeOf({ outcome }: FlowSummary, io: Io): number {
  if (outcome === 'interrupted') return io.signal.reason === 'EPIPE' ? ExitCode.interrupted : abortedCode(io.signal);
  return outcome === 'failed' ? ExitCode.failures : ExitCode.done;
}
