import { createServer } from 'node:net';

/**
 * A free port of loopback, for a server that isn't always there. It is below those that the system gives to connections: one of
 * them could take it in the meantime.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, '127.0.0.1');
    const free = await new Promise<boolean>((resolve) => server.once('listening', () => resolve(true)).once('error', () => resolve(false)));
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
