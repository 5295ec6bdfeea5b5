import type { Socket } from 'node:net';
import type { FaultAction } from './FaultAction.ts';

/** How far things go well before a network fault strikes. */
export type FaultStage =
  /** The connection was accepted; nothing is read from it. Such a fault counts connections, not requests. */
  | 'connect'
  /** The request was read; nothing of the answer is sent. */
  | 'before'
  /** In the middle of the headers. */
  | 'headers'
  /** In the middle of the body. */
  | 'body';

export interface NetworkFaultOptions {
  /** How far things go well before. @default 'before' */
  readonly at?: FaultStage | undefined;
}

/** A connection at the moment a fault strikes. */
export interface Wire {
  readonly socket: Socket;
  /** What is still to be sent of the good answer; empty where no request was read. */
  readonly rest: Buffer;
  readonly after: (ms: number, run: () => void) => void;
  /** Takes the connection after all; undefined when that was done long ago. */
  readonly accept: (() => void) | undefined;
}

/** Sends as much of the good answer as `at` says, in one chunk of many if `chunked`, and then does what the fault does. */
export function networkFault(at: FaultStage = 'before', strike: (wire: Wire) => void, chunked = false): FaultAction {
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
      // what was written has to leave before the connection is ill-treated
      setImmediate(() => strike({ socket, rest: good.subarray(cut), after, accept: undefined }));
    },
  };
}
