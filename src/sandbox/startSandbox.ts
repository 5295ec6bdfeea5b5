import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { requestHandler, Timers } from './requestHandler.ts';
import { RequestLog, type SandboxRequest } from './RequestLog.ts';
import { type SandboxOptions, sandboxSettings } from './SandboxOptions.ts';
import { type Fault, FaultPlan } from './faults.ts';

/** A running sandbox. */
export interface Sandbox extends AsyncDisposable {
  /** The base URL for a client. */
  readonly url: string;
  readonly port: number;
  /** The key that requests must have. */
  readonly apiKey: string;
  /** Received requests in order of arrival. It keeps the latest 100,000, or `logLimit`. */
  readonly requests: readonly SandboxRequest[];
  /** The number of requests, for one operation or in total. Not limited by `logLimit`. */
  count(operation?: string): number;
  /** The logged requests of one operation. */
  calls(operation: string): readonly SandboxRequest[];
  /** Replaces the faults. Without arguments, removes them. Counting starts from 1 again. */
  setFaults(faults: readonly Fault[]): void;
  /** Clears the request log. */
  reset(): void;
  /** Closes the server and all connections at once. */
  close(): Promise<void>;
}

/**
 * Starts the service on 127.0.0.1, with all of its operations, over a real socket. The same seed gives the same world. It requires the key,
 * refuses invalid queries, and plays the faults that you choose.
 *
 * ```ts
 * await using sandbox = await startSandbox({ faults: [{ fault: 'status', status: 503, nth: 1 }] });
 * const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
 * ```
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = sandboxSettings(options);
  const log = new RequestLog(settings.logLimit);
  const timers = new Timers();
  const sockets = new Set<Socket>();
  const planOf = (faults: readonly Fault[]): FaultPlan =>
    new FaultPlan(faults, settings.seed, Object.keys(settings.imitated.service.operations));
  let plan = planOf(settings.faults);

  const handler = requestHandler(settings, { log, timers, plan: () => plan });
  const http = createHttpServer({ keepAliveTimeout: 0 }, handler);
  // a TCP server accepts the connections, so that faults get them before HTTP does
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket.unref()); // the server keeps the process alive
    socket.once('close', () => sockets.delete(socket));
    const accept = (): void => void http.emit('connection', socket);
    if (plan.onConnection(socket, timers.after, accept)) socket.on('error', () => socket.destroy());
    else accept();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closed ??= new Promise((resolve) => {
      timers.clear();
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve()); // also called if the server is closed already
    }));

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    apiKey: settings.apiKey,
    requests: log.entries,
    count: (operation) => log.count(operation),
    calls: (operation) => log.entries.filter((entry) => entry.operation === operation),
    setFaults(faults) {
      plan = planOf(faults);
    },
    reset: () => log.clear(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
