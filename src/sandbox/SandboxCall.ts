import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { envelopeOf } from '../contract/envelopeOf.ts';
import type { Operation } from '../contract/Operation.ts';
import { wrapResponse } from '../contract/responseOf.ts';
import { imitated } from './imitated.ts';
import type { World, WorldQuery } from './world/World.ts';

/** The parts of an exchange. */
interface CallParts {
  readonly operation: Operation;
  readonly query: WorldQuery;
  readonly world: World;
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly requestId: string;
  /** Calls `run` after this many milliseconds, unless the sandbox is closed first. */
  readonly after: (ms: number, run: () => void) => void;
  /** Stops listening for this many milliseconds, and resets every connection. */
  readonly goAway: (forMs: number) => void;
  /** The log entry of the request. */
  readonly entry: { status: number };
}

/** One request, as faults see it. */
export class SandboxCall {
  readonly operation: Operation;
  readonly query: WorldQuery;
  readonly world: World;
  readonly socket: Socket;
  readonly after: CallParts['after'];
  readonly goAway: CallParts['goAway'];
  private readonly parts: CallParts;

  constructor(parts: CallParts) {
    ({
      operation: this.operation,
      query: this.query,
      world: this.world,
      socket: this.socket,
      after: this.after,
      goAway: this.goAway,
    } = parts);
    this.parts = parts;
  }

  /** The same call with other values of some parameters. */
  at(query: WorldQuery): SandboxCall {
    return new SandboxCall({ ...this.parts, query: { ...this.query, ...query } });
  }

  /** The data of the correct response, from this world or another. */
  data(world: World = this.world): object {
    const data = imitated.dataOf(this.operation.name, this.query, world);
    const html = this.query['html'] === true ? { html: `<!doctype html><title>${this.operation.spec.title}</title>` } : {};
    return { ...data, ...html };
  }

  /** Data as the service wraps it. */
  wrap(data: unknown, code?: number, message = 'success'): unknown {
    const envelope = envelopeOf(imitated.service, this.operation);
    return wrapResponse(envelope, { data, code, message, requestId: this.parts.requestId, timestamp: this.world.now() });
  }

  /** The body of the correct response. */
  correct(): unknown {
    return this.wrap(this.data());
  }

  /** Sends a document as the response. */
  json(document: unknown, status = 200, headers: { readonly [name: string]: string } = {}): void {
    this.send(status, JSON.stringify(document), { 'content-type': 'application/json; charset=utf-8', ...headers });
  }

  send(status: number, body: string | Buffer, headers: { readonly [name: string]: string } = {}): void {
    if (this.socket.destroyed) return;
    this.parts.entry.status = status;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.parts.response.setHeader('date', new Date(this.world.now()).toUTCString());
    this.parts.response.writeHead(status, { ...(status === 204 ? {} : { 'content-length': bytes.length }), ...headers });
    this.parts.response.end(bytes);
  }

  /**
   * The correct response, byte for byte, for faults that write to the socket themselves. The log shows `status`.
   * The connection closes after it.
   */
  raw(status: number, framing?: string): { readonly head: Buffer; readonly body: Buffer } {
    const body = Buffer.from(JSON.stringify(this.correct()));
    this.parts.entry.status = status;
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n${framing ?? `content-length: ${body.length}`}\r\n\r\n`;
    return { head: Buffer.from(head), body };
  }
}

/** Sends a bad response. It may keep state between requests. */
export type PlayFault = (exchange: SandboxCall) => void;

/** An active fault. */
export interface FaultAction {
  readonly play: PlayFault;
  /** Disturbs a connection that was just accepted, before anything is read from it. */
  readonly connect?: ((socket: Socket, after: (ms: number, run: () => void) => void, accept: () => void) => void) | undefined;
}
