import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answers } from './answers/answers.ts';
import type { AnyOperation, OperationName } from '../operations/operations.ts';
import type { SandboxRequest } from './RequestLog.ts';
import type { World, WorldQuery } from './world/World.ts';

/** The document that every answer is. */
export interface Envelope {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
  readonly requestId: string;
  readonly timestamp: number;
}

/** One request that is to be answered, as the faults see it. */
export class Exchange {
  readonly operation: AnyOperation;
  readonly query: WorldQuery;
  readonly world: World;
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly requestId: string;
  /** Calls `run` after so many milliseconds, unless the sandbox is closed before. */
  readonly after: (ms: number, run: () => void) => void;
  /** Nobody listens for so many milliseconds, and every connection is reset. */
  readonly goAway: (forMs: number) => void;
  private readonly entry: { -readonly [K in keyof SandboxRequest]: SandboxRequest[K] };

  constructor(
    operation: AnyOperation,
    query: WorldQuery,
    world: World,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    after: (ms: number, run: () => void) => void,
    goAway: (forMs: number) => void,
    entry: SandboxRequest,
  ) {
    this.operation = operation;
    this.query = query;
    this.world = world;
    this.response = response;
    this.socket = request.socket;
    this.requestId = requestId;
    this.after = after;
    this.goAway = goAway;
    this.entry = entry;
  }

  /** The answer as it ought to be, from this world or another. */
  envelope(world: World = this.world): Envelope {
    const data = answers[this.operation.name as OperationName](this.query, world);
    const html = this.query['html'] === true ? { html: `<!doctype html><title>${this.operation.spec.title}</title>` } : {};
    return this.wrap({ ...data, ...html });
  }

  wrap(data: unknown, code = 200, message = 'success'): Envelope {
    return { code, message, data, requestId: this.requestId, timestamp: this.world.now() };
  }

  /** Answers with a document. */
  json(document: unknown, status = 200, headers: { readonly [name: string]: string } = {}): void {
    this.send(status, JSON.stringify(document), { 'content-type': 'application/json; charset=utf-8', ...headers });
  }

  send(status: number, body: string | Buffer, headers: { readonly [name: string]: string } = {}): void {
    if (this.socket.destroyed) return;
    this.entry.status = status;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.response.writeHead(status, { ...(status === 204 ? {} : { 'content-length': bytes.length }), ...headers });
    this.response.end(bytes);
  }

  /**
   * The good answer, byte for byte, for faults that write to the socket themselves; `status` is what the log then says.
   * The connection ends with it.
   */
  raw(status: number, framing?: string): { readonly head: Buffer; readonly body: Buffer } {
    const body = Buffer.from(JSON.stringify(this.envelope()));
    this.entry.status = status;
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n${framing ?? `content-length: ${body.length}`}\r\n\r\n`;
    return { head: Buffer.from(head), body };
  }
}
