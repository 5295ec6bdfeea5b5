import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What the proxy does to the connection that is open when the time comes. */
export type Cut =
  /** In the middle of the rows of a COPY. */
  | 'in COPY'
  /** The commit arrives, its answer doesn't. */
  | 'after COMMIT'
  /** At once, whatever happens there. */
  | 'now'
  /** Bytes are held for a while. */
  | 'delay';

export interface CuttingProxy {
  readonly port: number;
  /** Disturbs the next connection that fits. Resolves with true once it has. */
  cut(how: Cut): void;
  /** How often it did. */
  readonly cuts: number;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const commit = Buffer.from('COMMIT\0');
const delayMs = 300;

/** A proxy before a PostgreSQL that disturbs its connections. Each statement arrives `latencyMs` later. */
export async function cuttingProxy(target: number, latencyMs = 0): Promise<CuttingProxy> {
  let next: Cut | undefined;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let isCopying = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    const took = (how: Cut): boolean => {
      if (next !== how) return false;
      next = undefined;
      cuts += 1;
      return true;
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => (sockets.delete(socket), end()));
    }
    upstream.on('data', (bytes) => client.write(bytes));
    client.on('data', (bytes) => {
      if (took('now')) return end();
      if (took('delay')) {
        client.pause();
        setTimeout(() => (upstream.write(bytes), client.resume()), delayMs);
        return undefined;
      }
      if (isCopying && took('in COPY')) {
        upstream.write(bytes.subarray(0, bytes.length / 2));
        return (upstream.once('drain', end), setTimeout(end, 5), undefined);
      }
      isCopying = bytes.includes('COPY ');
      if (bytes.includes(commit) && took('after COMMIT')) {
        upstream.removeAllListeners('data');
        upstream.once('data', end); // it has answered, and nobody hears it
      }
      if (latencyMs === 0) upstream.write(bytes);
      else setTimeout(() => upstream.writable && upstream.write(bytes), latencyMs);
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: (how) => (next = how),
    get cuts() {
      return cuts;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
