import type { Flow } from '../flow/index.ts';
import type { AnyClient } from '../index.ts';
import type { LiveRun } from '../show/index.ts';
import type { Io } from './Command.ts';
import { portTaken } from './portTaken.ts';
import { shellWord } from './typedProgram.ts';

interface OpenShowOptions {
  readonly flow: Flow;
  readonly folder: string;
  readonly client: AnyClient;
  readonly maxRequests: number | undefined;
  readonly command: string;
  readonly port: number | undefined;
  readonly price: number | undefined;
  readonly io: Io;
}

/** What runs a flow again in a folder, if nothing is known of the flow. */
export function anyRun({ program = 'trawler' }: Io): (folder: string) => string {
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
  const { LiveRun, startShow } = await import('../show/index.ts');
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
