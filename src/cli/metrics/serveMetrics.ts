import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { namesServer, serverUrl, requestedAddress } from '../../../operators/kit/parsedUrl.ts';
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
  const metrics = new RunMetrics(flow, folder === undefined ? undefined : await lastRunIn(folder));
  const { url, close } = await serveTexts(address, { '/metrics': () => metrics.render() });
  if (!quiet) io.stderr.write(`Metrics: ${url}/metrics\n`);
  return Object.assign(metrics, { [Symbol.asyncDispose]: close });
}

/** Serves texts by their paths at `HOST:PORT`, and `/live`. `/` is a page, and is served under the server's own names only. */
export async function serveTexts(
  address: string,
  texts: { readonly [path: string]: () => string },
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const [, name, port] = /^(\[[\da-f:.]+\]|[^:/\s]+):(\d{1,5})$/i.exec(address) ?? [];
  if (name === undefined || Number(port) > 65_535) throw new UsageError('--metrics takes HOST:PORT, such as 127.0.0.1:9464.');
  const host = name.replaceAll(/[[\]]/g, '');
  const all = { ...texts, '/live': () => 'live\n' };
  const server = createServer(({ url, headers }, response) => {
    const path = requestedAddress(url)?.path;
    const send = (status: number, body: string, type = 'text/plain'): void =>
      void response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': policy }).end(body);
    const text = path === undefined || !Object.hasOwn(all, path) ? undefined : all[path as keyof typeof all];
    if (path === undefined) send(400, 'This is no address.\n');
    else if (text === undefined) send(404, `There are ${Object.keys(all).join(', ')}.\n`);
    else if (path !== '/') send(200, text(), 'text/plain; version=0.0.4');
    else if (namesServer(headers.host, host)) send(200, text(), 'text/html');
    else send(403, 'This page is served under its own address only.\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(Number(port), host, resolve)).catch(portTaken);
  server.unref();
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { url: serverUrl(host, (server.address() as AddressInfo).port), close };
}

const policy = "default-src 'none'; style-src 'unsafe-inline'";

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
