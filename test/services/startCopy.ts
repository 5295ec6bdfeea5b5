import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Copy } from './Copy.ts';

export interface RunningCopy {
  readonly url: string;
  /** Requests so far. */
  readonly requests: () => number;
  readonly close: () => Promise<void>;
}

/** Serves a copy over HTTP. A few milliseconds for each request leave time to end a run in the middle. */
export async function startCopy(copy: Copy): Promise<RunningCopy> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url!, `http://${request.headers.host}`);
      const body = Buffer.concat(chunks).toString();
      const { status = 200, headers, body: reply } = copy.answer({ method: request.method!, url, headers: request.headers, body });
      setTimeout(() => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(reply));
      }, 5);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
