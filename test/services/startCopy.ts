import { startServer } from '../client/startServer.ts';
import type { Copy } from './Copy.ts';

export interface RunningCopy extends AsyncDisposable {
  readonly url: string;
  /** Requests so far. */
  readonly requests: () => number;
}

/** Serves a copy over HTTP. A few milliseconds for each request leave time to end a run in the middle. */
export async function startCopy(copy: Copy): Promise<RunningCopy> {
  let requests = 0;
  const server = await startServer((request, response) => {
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
  return { url: server.url, requests: () => requests, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
