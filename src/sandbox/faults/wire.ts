import type { FaultAction } from '../SandboxCall.ts';
import type { Socket } from 'node:net';

/** The point at which a network fault strikes. */
export type FaultStage =
  /** The connection was accepted; nothing is read from it. Such a fault counts connections, not requests. */
  | 'connect'
  /** The request was read, but nothing of the response was sent. */
  | 'before'
  /** In the middle of the headers. */
  | 'headers'
  /** In the middle of the body. */
  | 'body';

export interface NetworkFaultOptions {
  /** When the fault strikes. @default 'before' */
  readonly at?: FaultStage | undefined;
}

/** A connection at the moment a fault strikes. */
interface Wire {
  readonly socket: Socket;
  /** The unsent rest of the correct response. Empty if no request was read. */
  readonly rest: Buffer;
  readonly after: (ms: number, run: () => void) => void;
  /** Accepts the connection after all. undefined if it was accepted before. */
  readonly accept: (() => void) | undefined;
}

/** Sends the correct response up to `at`, as one of many chunks if `chunked`, then plays the fault. */
function networkFault(at: FaultStage = 'before', strike: (wire: Wire) => void, chunked = false): FaultAction {
  return {
    ...(at === 'connect' ? { connect: (socket, after, accept) => strike({ socket, rest: Buffer.alloc(0), after, accept }) } : {}),
    play(exchange) {
      const { head, body } = exchange.raw(at === 'body' ? 200 : 0, chunked ? 'transfer-encoding: chunked' : undefined);
      const { socket, after } = exchange;
      const half = body.length >> 1;
      const opening = chunked ? Buffer.concat([head, Buffer.from(`${half.toString(16)}\r\n`)]) : head;
      const good = Buffer.concat([opening, body]);
      const cut = { connect: 0, before: 0, headers: head.length >> 1, body: opening.length + half }[at];
      if (cut > 0) socket.write(good.subarray(0, cut));
      // the written bytes must leave before the fault strikes
      setImmediate(() => strike({ socket, rest: good.subarray(cut), after, accept: undefined }));
    },
  };
}

export interface RefusedOptions {
  /** How long the service doesn't listen. @default 100 */
  readonly forMs?: number | undefined;
}

/** The service goes away: every connection is reset, and new ones are refused until it listens again. */
export function refused({ forMs = 100 }: RefusedOptions): FaultAction {
  return { play: (exchange) => exchange.goAway(forMs) };
}

/** The connection is reset. */
export function reset(options: NetworkFaultOptions): FaultAction {
  return networkFault(options.at, ({ socket }) => socket.resetAndDestroy());
}

/** The connection is closed cleanly, but too early. */
export function close(options: NetworkFaultOptions): FaultAction {
  return networkFault(options.at, ({ socket }) => socket.destroySoon());
}

/** Nothing more is sent, and the connection stays open. */
export function stall(options: NetworkFaultOptions): FaultAction {
  return networkFault(options.at, () => {});
}

export interface TrickleOptions extends NetworkFaultOptions {
  /** The time between two bytes. @default 50 */
  readonly everyMs?: number | undefined;
}

/** The rest comes byte by byte, so slowly that a timeout between bytes never strikes. */
export function trickle({ at, everyMs = 50 }: TrickleOptions): FaultAction {
  return networkFault(at, ({ socket, rest, after }) => {
    const bytes = rest.length > 0 ? rest : Buffer.from('HTTP/1.1 200 OK\r\nx-trickle: drip drop\r\n');
    let sent = 0;
    const drip = (): void => {
      if (socket.destroyed) return;
      socket.write(bytes.subarray(sent, ++sent));
      if (sent < bytes.length) after(everyMs, drip);
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
export function slices({ at, bytes = 3 }: SlicesOptions): FaultAction {
  if (at === 'connect') throw new RangeError("startSandbox: the fault 'slices' has nothing to slice at 'connect'");
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

export interface DelayOptions extends NetworkFaultOptions {
  /** The length of the pause. @default 100 */
  readonly ms?: number | undefined;
}

/** A correct response that is late, or pauses midway. */
export function delay({ at, ms = 100 }: DelayOptions): FaultAction {
  return networkFault(at, ({ socket, rest, after, accept }) => {
    after(ms, () => {
      if (accept !== undefined) accept();
      else if (!socket.destroyed) socket.end(rest);
    });
  });
}

/** The rest is replaced by bytes that aren't HTTP, or in the body by a chunk without a size. */
export function rubbish(options: NetworkFaultOptions): FaultAction {
  return networkFault(options.at, ({ socket }) => socket.end(Buffer.from('\r\nzz\0\u0001 SSH-2.0-rubbish \u001b[31m\r\n\r\n')), true);
}

/** Endless headers or an endless body, sent as fast as the client reads. */
export function flood({ at }: NetworkFaultOptions): FaultAction {
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
