import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serverUrl, requestedAddress } from '../../operators/kit/parsedUrl.ts';
import type { Service } from '../contract/index.ts';
import { pageHtml } from './pageHtml.ts';
import { refusal, type Admitted } from './refusal.ts';
import { NotFound } from './NotFound.ts';
import { routes } from './routes.ts';
import { ShownRuns } from './run/ShownRuns.ts';
import type { LiveRun } from './run/LiveRun.ts';
import { messageOf } from '../errors/TrawlerError.ts';
import { systemCode } from '../files/FileSystem.ts';

export interface StartShowOptions {
  /** The folder of a run, or a folder with such folders. */
  readonly folder: string;
  /** @default 0: any free port */
  readonly port?: number | undefined;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** Whether other machines may connect. @default false */
  readonly exposed?: boolean | undefined;
  /** The service of the flows. @default the built-in one */
  readonly service?: Service | undefined;
  /** The price of one request. @default none: no money is shown */
  readonly price?: number | undefined;
  /** Folders and files outside of the run's folder from which areas may be read. @default none */
  readonly allowRead?: readonly string[] | undefined;
  /** The name of the command, for texts of the page. @default 'trawler' */
  readonly program?: string | undefined;
  /** Returns the command that runs a flow again, with FLOW for the flow's file. @default `trawler run FLOW --out` and the folder */
  readonly command?: ((folder: string) => string) | undefined;
  /** The run of this process, which the page can pause and resume. @default none */
  readonly live?: LiveRun | undefined;
}

/** A running server of the page. */
export interface Show {
  /** The address of the page, with its token. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves a page that shows runs and their rows. It only reads the folder, and takes no lock. Only requests with the token of its address
 * are served.
 */
export async function startShow(options: StartShowOptions): Promise<Show> {
  const { host = '127.0.0.1', port = 0, exposed = false } = options;
  const admitted: Admitted = { token: randomBytes(24).toString('base64url'), host, exposed };
  const runs = new ShownRuns(options);
  let page: ReturnType<typeof pageHtml> | undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = requestedAddress(request.url);
    if (address === undefined) return send(response, 400, 'text/plain', 'This is no address.');
    const { path, params } = address;
    const refused = refusal(request, params, admitted);
    if (refused !== undefined) return send(response, refused.status, 'text/plain', refused.text);
    if (path === '/' && request.method === 'GET') {
      page ??= pageHtml(options.program ?? 'trawler');
      response.setHeader('Content-Security-Policy', page.policy);
      return send(response, 200, 'text/html', page.html);
    }
    const route = routes[`${request.method} ${path}`];
    if (route === undefined) throw new NotFound('There is no such page.');
    const call = { params, response, runs, live: options.live };
    // When a run ends, a file may get its final name after it was found and before it is opened. The second try finds the new name.
    await route(call).catch((error: unknown) =>
      systemCode(error) === 'ENOENT' && !response.headersSent ? route(call) : Promise.reject(error),
    );
  };
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    serve(request, response).catch((error: unknown) => fail(response, error));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const { port: taken } = server.address() as AddressInfo;
  const run = await runs.first();
  const view = run === '' ? '' : `#now?${new URLSearchParams({ run }).toString()}`;
  return {
    url: `${serverUrl(host, taken)}/?token=${admitted.token}${view}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      runs.close();
    },
  };
}

const headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8` }).end(text);
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const text = messageOf(error);
  send(response, error instanceof NotFound ? 404 : error instanceof RangeError ? 400 : 500, 'text/plain', text);
}
