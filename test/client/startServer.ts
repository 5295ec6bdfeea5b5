import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  /** Connections there ever were. */
  readonly connections: () => number;
}

/** An HTTP server on a free port of 127.0.0.1, gone with `await using`. */
export function startServer(listener: RequestListener): Promise<TestServer> {
  return listen(createServer({ keepAliveTimeout: 60_000 }, listener));
}

/** A server of bare sockets, for what isn't HTTP. */
export function startSocketServer(listener: (socket: Socket) => void): Promise<TestServer> {
  return listen(createTcpServer(listener));
}

async function listen(server: Server): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    connections: () => connections,
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A response of the service with `data` in its envelope. */
export function envelope(data: object = {}, more: object = {}): string {
  return JSON.stringify({
    code: 200,
    message: 'success',
    data,
    requestId: '00000000-0000-4000-8000-000000000000',
    timestamp: 1_767_225_600_000,
    ...more,
  });
}

/** Responses with `data` in an envelope. */
export function reply(response: ServerResponse, data: object = {}, more: object = {}): void {
  response.setHeader('content-type', 'application/json');
  response.end(envelope(data, more));
}

/** A query parameter of a request. */
export function param(request: IncomingMessage, name: string): string | null {
  return new URL(request.url ?? '/', 'http://localhost').searchParams.get(name);
}

/** The whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
