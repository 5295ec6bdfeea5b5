import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { startProxy, type ProxyOptions } from '../../src/proxy/index.ts';

export const apiKey = 'k3y-that-nobody-sees';

export type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** A service on a socket. */
export async function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part)).on('end', () => handler(request, response, Buffer.concat(parts)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A service on a socket, and a proxy in front of it. */
export async function behind(handler: Handler, options: ProxyOptions = {}) {
  const url = await serve(handler);
  const proxy = await startProxy({ port: 0, baseUrl: url, apiKey, rate: 'unlimited', ledger: false, ...options });
  onTestFinished(() => proxy.close());
  return { url, proxy };
}
