import { existsSync } from 'node:fs';
import { isLoopback } from '../../../operators/kit/parsedUrl.ts';
import { onAbort } from '../../../operators/kit/onAbort.ts';
import { whole } from '../../../operators/options/index.ts';
import { namedService, serviceOption } from '../chooseService.ts';
import { type Command, ExitCode, writeOut, UsageError, type Io, portTaken } from '../Command.ts';
import { priceOption, parseOptions } from '../parseOptions.ts';
import type { Flow } from '../../flow/index.ts';
import type { AnyClient } from '../../index.ts';
import type { LiveRun } from '../../show/index.ts';
import { shellWord } from '../typedProgram.ts';

const options = {
  port: { type: 'string', number: whole({ from: 0, to: 65_535 }), value: 'N', about: 'port to listen on (a free one)' },
  host: { type: 'string', value: 'ADDRESS', about: 'address to listen on; others than loopback need --expose too (127.0.0.1)' },
  expose: { type: 'boolean', about: 'let other machines connect: anyone with the address and its token sees everything' },
  'allow-read': {
    type: 'string',
    value: 'PATH',
    multiple: true,
    about: "folder or file outside the run's own that its areas may come from",
  },
  ...priceOption,
  ...serviceOption,
} as const;

export const show: Command = {
  name: 'show',
  overview: [5, 'look at a run and its rows in the browser'],
  usage: '[DIR] [options]',
  about:
    'Serves a page on this machine that shows a run while it goes on, and its rows. DIR is the folder of a run, or one with such ' +
    'folders; without it, out, or the folder where you are. It only reads, and nothing outside of the folder: it sends no request, ' +
    'takes no lock and writes nothing. It runs until Ctrl-C.',
  options,
  examples: [
    ['trawler show out/coffee', 'print the address of the page'],
    ['trawler show out --port 8088', 'all runs in out, always at the same port'],
    ['trawler run coffee.json --show', 'the same page, with buttons to pause and resume'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler show');
    const [folder = existsSync('out') ? 'out' : '.', more] = positionals;
    if (more !== undefined) throw new UsageError(`trawler show takes one folder, not '${more}' too.`);
    if (!existsSync(folder)) throw new UsageError(`There is no folder ${folder}.`);
    const { host = '127.0.0.1', expose = false } = values;
    if (!expose && !isLoopback(host)) {
      throw new UsageError(`--host ${host} lets other machines connect.`, {
        hint: 'Add --expose if you want that. The page is not encrypted: over a network that you do not trust, use an SSH tunnel.',
      });
    }
    const { startShow } = await import('../../show/index.ts');
    const service = await namedService(values.service);
    const shown = await startShow({
      folder,
      port: values.port,
      host,
      exposed: expose,
      service,
      allowRead: values['allow-read'],
      price: values.price,
      program: io.program,
      command: anyRun(io),
    }).catch(portTaken);
    await writeOut(io.stdout, `${shown.url}\n`);
    io.stderr.write('Open this address in a browser. Stop with Ctrl-C.\n');
    await new Promise<void>((resolve) => void onAbort(io.signal, resolve));
    await shown.close();
    return ExitCode.done;
  },
};

interface OpenShowOptions {
  readonly flow: Flow;
  readonly folder: string;
  readonly clients: readonly AnyClient[];
  readonly maxRequests: number | undefined;
  readonly command: string;
  readonly port: number | undefined;
  readonly price: number | undefined;
  readonly io: Io;
}

/** The command that runs a flow again in a folder, if the flow isn't known. */
function anyRun({ program = 'trawler' }: Io): (folder: string) => string {
  return (folder) => `${program} run FLOW --out ${shellWord(folder)}`;
}

/** Serves the page of a run of this process, and prints its address. */
export async function openShow({
  flow,
  folder,
  port,
  price,
  io,
  ...more
}: OpenShowOptions): Promise<{ readonly live: LiveRun } & AsyncDisposable> {
  const { LiveRun, startShow } = await import('../../show/index.ts');
  const live = new LiveRun({ flow: flow.name, folder, ...more });
  const shown = await startShow({
    folder,
    port,
    price,
    service: flow.service,
    allowRead: [flow.folder, ...flow.allowRead],
    program: io.program,
    command: anyRun(io),
    live,
  }).catch(portTaken);
  io.stderr.write(`Watch it in a browser: ${shown.url}\nThe page stays until Ctrl-C.\n`);
  return {
    live,
    async [Symbol.asyncDispose]() {
      await shown.close();
      live.close();
    },
  };
}
