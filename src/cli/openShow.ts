import type { Flow } from '../flow/index.ts';
import type { AnyClient } from '../index.ts';
import type { LiveRun } from '../show/index.ts';
import type { Io } from './Command.ts';
import { portTaken } from './portTaken.ts';

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
  const shown = await startShow({ folder, port, price, service: flow.service, program: io.program, live }).catch(portTaken);
  io.stderr.write(`Watch it in a browser: ${shown.url}\nThe page stays until Ctrl-C.\n`);
  return {
    live,
    async [Symbol.asyncDispose]() {
      await shown.close();
      live.close();
    },
  };
}
