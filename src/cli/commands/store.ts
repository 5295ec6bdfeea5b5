import { createWriteStream, existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StoreSummary } from '../../store/index.ts';
import { countOf, formatBytes } from '../../flow/report/index.ts';
import { ageOption } from '../openStoreFor.ts';
import { type Command, ExitCode, type Io, writeOut, UsageError } from '../Command.ts';
import { parseOptions } from '../parseOptions.ts';
import { printedJson, escapeLines } from '../text/escapeForTerminal.ts';
import { renderTable } from '../text/renderTable.ts';

const options = {
  older: { type: 'string', value: 'AGE', about: 'prune: drop responses that came longer ago, such as 90d (none)' },
  out: { type: 'string', value: 'FILE', about: 'export: write to this file (stdout)' },
  json: { type: 'boolean', about: 'print JSON' },
} as const;

const actions = ['ls', 'stats', 'verify', 'prune', 'export'] as const;

export const store: Command = {
  name: 'store',
  overview: [8, 'list, count, verify, prune and export stored responses'],
  usage: 'ls|stats|verify|prune|export DIR [options]',
  about:
    'Works on a folder of stored responses. ls lists them by operation and day. stats shows the size. verify reads everything and ' +
    'checks every digest. prune deletes old and replaced responses and frees the space. export prints every response as a line of JSON.',
  options,
  examples: [
    ['trawler store ls responses', 'what is in the folder'],
    ['trawler store prune responses --older 90d', 'drop what is older than 90 days'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler store');
    const [action, folder, ...more] = positionals;
    const known = actions.find((name) => name === action);
    if (known === undefined) {
      throw new UsageError(`trawler store has no action '${action ?? ''}'.`, { hint: `There are: ${actions.join(', ')}` });
    }
    if (folder === undefined || more.length > 0) throw new UsageError(`trawler store ${known} takes one folder.`);
    const only = { older: 'prune', out: 'export' } as const;
    for (const [option, action] of Object.entries(only)) {
      if (values[option as keyof typeof only] !== undefined && action !== known) throw new UsageError(`--${option} goes with ${action}.`);
    }
    const older = ageOption('older', values.older);
    if (!existsSync(folder)) {
      throw new UsageError(`${folder}: no stored responses are there.`, { hint: 'To store some: trawler run FLOW --store DIR' });
    }
    const { exportStore, pruneStore, summarizeStore, verifyStore } = await import('../../store/index.ts');
    const print = async (result: object, text: string): Promise<number> => {
      await writeOut(io.stdout, values.json === true ? printedJson(result, 2) : escapeLines(text));
      return ExitCode.done;
    };
    switch (known) {
      case 'ls': {
        const { days } = summarizeStore(folder);
        return print(days, renderDays(days));
      }
      case 'stats': {
        const summary = summarizeStore(folder);
        return print(summary, renderStats(summary));
      }
      case 'verify': {
        const check = verifyStore(folder);
        const found = check.faults.map(({ file, offset, what }) => `${file}, byte ${offset}: ${what}\n`).join('');
        const count = `${countOf(check.records, 'response')} in ${countOf(check.segments, 'segment')}, ${formatBytes(check.bytes)}`;
        await print(
          check,
          `${found}${count}: ${check.faults.length === 0 ? 'all as they were written' : countOf(check.faults.length, 'fault')}.\n`,
        );
        return check.faults.length === 0 ? ExitCode.done : ExitCode.failures;
      }
      case 'prune': {
        const report = await pruneStore(folder, { olderMs: older });
        const { dropped, kept, bytesBefore, bytesAfter } = report;
        return print(
          report,
          `${countOf(dropped, 'response')} dropped, ${kept} kept; ${formatBytes(bytesBefore)} before, ${formatBytes(bytesAfter)} now.\n`,
        );
      }
      default:
        return exportLines(exportStore(folder), values.out, io);
    }
  },
};

async function exportLines(responses: AsyncIterable<object>, out: string | undefined, io: Io): Promise<number> {
  if (out === undefined) {
    for await (const response of responses) await writeOut(io.stdout, printedJson(response));
    return ExitCode.done;
  }
  const lines = async function* (): AsyncIterable<string> {
    for await (const response of responses) yield `${JSON.stringify(response)}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(out, { flags: 'wx', mode: 0o600 }));
  return ExitCode.done;
}

function renderDays(days: StoreSummary['days']): string {
  if (days.length === 0) return 'Nothing is stored.\n';
  const rows = days.map(({ service, operation, day, responses, bytes }) => [`${service}/${operation}`, day, responses, formatBytes(bytes)]);
  return `${renderTable([['OPERATION', 'DAY', 'RESPONSES', 'SIZE'], ...rows])}\n`;
}

function renderStats(summary: StoreSummary): string {
  return `${countOf(summary.responses, 'response')} in ${countOf(summary.segments, 'segment')}, ${formatBytes(summary.bytes)}.\n`;
}
