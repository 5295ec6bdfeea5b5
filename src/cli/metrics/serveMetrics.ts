import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { requestedAddress } from '../../../operators/kit/parsedUrl.ts';
import { type Io, UsageError } from '../Command.ts';
import { portTaken } from '../portTaken.ts';
import { type LastRun, RunMetrics } from './RunMetrics.ts';

export const metricsOption = {
  metrics: { type: 'string', value: 'HOST:PORT', about: 'serve /metrics for Prometheus, and /live: 127.0.0.1:9464' },
} as const;

interface Watched {
  readonly flow: string;
  /** Where the run is: it says how the one before ended. */
  readonly folder?: string | undefined;
  /** The address isn't printed. */
  readonly quiet?: boolean | undefined;
  readonly io: Io;
}

/** Serves the figures of a run to whoever asks, as long as the command goes on. undefined: nobody wants them. */
export async function serveMetrics(
  address: string | undefined,
  { flow, folder, quiet = false, io }: Watched,
): Promise<(RunMetrics & AsyncDisposable) | undefined> {
  if (address === undefined) return undefined;
  const { hostname, port } = addressOf(address);
  const metrics = new RunMetrics(flow, folder === undefined ? undefined : await lastRunIn(folder));
  const server = createServer(({ url }, response) => {
    const path = requestedAddress(url)?.path;
    if (path === undefined) response.writeHead(400, { 'Content-Type': 'text/plain' }).end('This is no address.\n');
    else if (path === '/live') response.writeHead(200, { 'Content-Type': 'text/plain' }).end('live\n');
    else if (path === '/metrics')
      response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(metrics.render());
    else response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There are /metrics and /live.\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, hostname, resolve)).catch(portTaken);
  server.unref();
  const taken = server.address() as { readonly port: number };
  if (!quiet) io.stderr.write(`Metrics: http://${address.replace(/:\d+$/, `:${taken.port}`)}/metrics\n`);
  return Object.assign(metrics, {
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  });
}

function addressOf(text: string): { readonly hostname: string; readonly port: number } {
  const [, hostname, port] = /^(\[[\da-f:.]+\]|[^:/\s]+):(\d{1,5})$/i.exec(text) ?? [];
  if (hostname === undefined || Number(port) > 65_535) throw new UsageError('--metrics takes HOST:PORT, such as 127.0.0.1:9464.');
  return { hostname: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) };
}

async function lastRunIn(folder: string): Promise<LastRun | undefined> {
  try {
    const { trawler } = JSON.parse(await readFile(join(folder, 'datapackage.json'), 'utf8')) as {
      readonly trawler: { readonly outcome: string; readonly endedAt: string };
    };
    return { outcome: trawler.outcome, endedAt: Date.parse(trawler.endedAt) };
  } catch {
    return undefined; // there was none, or it isn't one of ours
  }
}
