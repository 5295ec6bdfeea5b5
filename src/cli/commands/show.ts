import { existsSync } from 'node:fs';
import { isLoopback } from '../../../operators/kit/parsedUrl.ts';
import { onAbort } from '../../../operators/kit/onAbort.ts';
import { whole } from '../../../operators/options/index.ts';
import { namedService, serviceOption } from '../chooseService.ts';
import { type Command, ExitCode, writeOut, UsageError } from '../Command.ts';
import { priceOption, parseOptions } from '../parseOptions.ts';
import { portTaken } from '../portTaken.ts';
import { anyRun } from '../openShow.ts';

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
