import type { Server, Socket } from 'node:net';
import type { FaultStage } from '../../../src/sandbox/index.ts';
import type { PlayFault } from './ChangedResponse.ts';

export interface NetworkFaultOptions {
  /** When the fault strikes. @default 'before' */
  readonly at?: Exclude<FaultStage, 'connect'> | undefined;
}

/** A connection at the moment a fault strikes. */
interface Wire {
  readonly socket: Socket;
  /** The unsent rest of the correct response. Empty if no request was read. */
  readonly rest: Buffer;
}

/** Sends the correct response up to `at`, as one of many chunks if `chunked`, then plays the fault. */
function networkFault(at: NetworkFaultOptions['at'] = 'before', strike: (wire: Wire) => void, chunked = false): PlayFault {
  return (exchange) => {
    const { head, body } = exchange.raw(at === 'body' ? 200 : 0, chunked ? 'transfer-encoding: chunked' : undefined);
    const { socket } = exchange;
    const half = body.length >> 1;
    const opening = chunked ? Buffer.concat([head, Buffer.from(`${half.toString(16)}\r\n`)]) : head;
    const good = Buffer.concat([opening, body]);
    const cut = { before: 0, headers: head.length >> 1, body: opening.length + half }[at];
    if (cut > 0) socket.write(good.subarray(0, cut));
    // the written bytes must leave before the fault strikes
    setImmediate(() => strike({ socket, rest: good.subarray(cut) }));
  };
}

export interface RefusedOptions {
  /** How long the service doesn't listen. @default 100 */
  readonly forMs?: number | undefined;
}

/** The service goes away: the connection is reset, and new ones are refused until it listens again. */
export function refused({ forMs = 100 }: RefusedOptions): PlayFault {
  return ({ socket }) => {
    const { server } = socket as Socket & { readonly server: Server };
    const port = socket.localPort;
    server.close();
    socket.resetAndDestroy();
    server.once('error', () => {}); // another process took the port meanwhile
    setTimeout(() => server.listen(port, '127.0.0.1').unref(), forMs).unref();
  };
}

/** The connection is closed cleanly, but too early. */
export function close(options: NetworkFaultOptions): PlayFault {
  return networkFault(options.at, ({ socket }) => socket.destroySoon());
}

export interface TrickleOptions extends NetworkFaultOptions {
  /** The time between two bytes. @default 50 */
  readonly everyMs?: number | undefined;
}

/** The rest comes byte by byte, so slowly that a timeout between bytes never strikes. */
export function trickle({ at, everyMs = 50 }: TrickleOptions): PlayFault {
  return networkFault(at, ({ socket, rest }) => {
    const bytes = rest.length > 0 ? rest : Buffer.from('HTTP/1.1 200 OK\r\nx-trickle: drip drop\r\n');
    let sent = 0;
    const drip = (): void => {
      if (socket.destroyed) return;
      socket.write(bytes.subarray(sent, ++sent));
      if (sent < bytes.length) setTimeout(drip, everyMs).unref();
      else socket.end();
    };
    drip();
  });
}

export interface SlicesOptions extends NetworkFaultOptions {
  /** The size of a slice. @default 3 */
  readonly bytes?: number | undefined;
}

/** A correct response whose rest comes in small slices. A client must not notice. */
export function slices({ at, bytes = 3 }: SlicesOptions): PlayFault {
  return networkFault(at, ({ socket, rest }) => {
    let sent = 0;
    const next = (): void => {
      if (socket.destroyed) return;
      socket.write(rest.subarray(sent, (sent += bytes)));
      if (sent < rest.length) setImmediate(next);
      else socket.end();
    };
    next();
  });
}

/** The rest is replaced by bytes that aren't HTTP, or in the body by a chunk without a size. */
export function rubbish(options: NetworkFaultOptions): PlayFault {
  return networkFault(options.at, ({ socket }) => socket.end(Buffer.from('\r\nzz\0\u0001 SSH-2.0-rubbish \u001b[31m\r\n\r\n')), true);
}

/** Endless headers or an endless body, sent as fast as the client reads. */
export function flood({ at }: NetworkFaultOptions): PlayFault {
  const body = at === 'body';
  return networkFault(
    at,
    ({ socket }) => {
      const kilobyte = 'x'.repeat(1024);
      const piece = body ? `400\r\n${kilobyte}\r\n` : `x-flood: ${kilobyte}\r\n`;
      const pour = (): void => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', pour);
      socket.write(body ? '\r\n' : at === 'headers' ? '\r\n' : 'HTTP/1.1 200 OK\r\n');
      pour();
    },
    true,
  );
}
