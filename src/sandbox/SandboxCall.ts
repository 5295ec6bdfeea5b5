import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { wrapRefusal, wrapResponse, setAt } from '../contract/envelopeOf.ts';
import type { Imitated, ImitatedResponse } from './imitated.ts';
import type { World, WorldQuery } from './world/World.ts';
import { bodyFormats, type BodyFormat, usualJob, type Operation, type OperationSpec, envelopeOf, type Service } from '../contract/index.ts';

interface CallParts {
  readonly imitated: Imitated;
  readonly operation: Operation;
  readonly query: WorldQuery;
  readonly world: World;
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly requestId: string;
  /** Calls `run` after this many milliseconds, unless the sandbox is closed first. */
  readonly after: (ms: number, run: () => void) => void;
  /** The log entry of the request. */
  readonly entry: { status: number };
}

/** A request that a fault is played on, with its correct response, and ways to send another one. */
export interface FaultCall {
  readonly operation: Operation;
  readonly query: { readonly [param: string]: string | number | boolean | undefined };
  /** The connection, for a fault below HTTP. */
  readonly socket: Socket;
  /** The data of the correct response. */
  data(): object;
  /** Data as the service wraps it. */
  wrap(data: unknown, code?: number, message?: string): unknown;
  /** Sends a document. */
  json(document: unknown, status?: number, headers?: { readonly [name: string]: string }): void;
  /** Sends a body as it is. */
  send(status: number, body: string | Buffer, headers?: { readonly [name: string]: string }): void;
  /**
   * The bytes of the correct response, to write to the socket, which is then to be closed. The log shows `status`. `framing`: a header
   * instead of the content length.
   */
  raw(status: number, framing?: string): { readonly head: Buffer; readonly body: Buffer };
}

/** One request, as faults see it. */
export class SandboxCall implements FaultCall {
  readonly operation: Operation;
  readonly query: WorldQuery;
  readonly world: World;
  readonly socket: Socket;
  readonly after: CallParts['after'];
  private readonly parts: CallParts;
  /** The correct response, after the first call of `data`. */
  private response: ImitatedResponse | undefined;

  constructor(parts: CallParts) {
    ({ operation: this.operation, query: this.query, world: this.world, socket: this.socket, after: this.after } = parts);
    this.parts = parts;
  }

  /** A fault may take the data from another world, or for another query. */
  data(world: World = this.world, query: WorldQuery = this.query): object {
    return (this.response = this.parts.imitated.respond(this.operation, query, world)).data as object;
  }

  wrap(data: unknown, code?: number, message = 'success'): unknown {
    const envelope = envelopeOf(this.service, this.operation);
    const body = wrapResponse(envelope, { data, code, message, requestId: this.parts.requestId, timestamp: this.world.now() });
    const { beside = {} } = this.response ?? {};
    for (const [path, value] of Object.entries(beside)) setAt(body as object, path.split('.'), value);
    return body;
  }

  /** The body of a refusal, as the service wraps it. */
  refusal(message: string, code: number | string): unknown {
    return wrapRefusal(envelopeOf(this.service, this.operation), {
      data: null,
      code,
      message,
      requestId: this.parts.requestId,
      timestamp: this.world.now(),
    });
  }

  get service(): Service {
    return this.parts.imitated.service;
  }

  private get format(): BodyFormat {
    return this.operation.spec.format ?? 'json';
  }

  /** The body of the correct response. */
  correct(): unknown {
    return this.wrap(this.data());
  }

  /** Sends a document as the response. With another status than 200 it is JSON. */
  json(document: unknown, status = 200, headers: { readonly [name: string]: string } = {}): void {
    this.send(status, status === 200 ? bodyText(this.operation.spec, document) : JSON.stringify(document), {
      'content-type': `${bodyFormats[status === 200 ? this.format : 'json'].mediaType}; charset=utf-8`,
      ...this.response?.headers,
      ...headers,
    });
  }

  /** Responds that the rows aren't there yet. `address`: where they will be, or the id of the job. */
  pending(address: string): void {
    const { at, until } = this.operation.spec.job!;
    const body = {};
    if (at !== undefined) setAt(body, at.split('.'), address);
    if (until !== undefined) setAt(body, until.at.split('.'), 'pending');
    this.send(usualJob.status, bodyText(this.operation.spec, body), {
      'content-type': `${bodyFormats[this.format === 'xml' ? 'xml' : 'json'].mediaType}; charset=utf-8`,
      'retry-after': '0.01',
      ...(at === undefined && { location: address }),
    });
  }

  send(status: number, body: string | Buffer, headers: { readonly [name: string]: string } = {}): void {
    if (this.socket.destroyed) return;
    this.parts.entry.status = status;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.parts.response.setHeader('date', new Date(this.world.now()).toUTCString());
    this.parts.response.writeHead(status, { ...(status === 204 ? {} : { 'content-length': bytes.length }), ...headers });
    this.parts.response.end(bytes);
  }

  raw(status: number, framing?: string): { readonly head: Buffer; readonly body: Buffer } {
    const body = Buffer.from(bodyText(this.operation.spec, this.correct()));
    this.parts.entry.status = status;
    const head =
      `HTTP/1.1 200 OK\r\ncontent-type: ${bodyFormats[this.format].mediaType}; charset=utf-8\r\nconnection: ` +
      `close\r\n${framing ?? `content-length: ${body.length}`}\r\n\r\n`;
    return { head: Buffer.from(head), body };
  }
}

/** A document as the body of a response. What a format can't hold, such as an error instead of a table, is written as JSON. */
function bodyText({ format = 'json', response }: OperationSpec, document: unknown): string {
  if (format === 'xml' && typeof document === 'object' && document !== null) return elements(document);
  if (!Array.isArray(document) || format === 'json') return JSON.stringify(document);
  if (format === 'ndjson') return document.map((row) => `${JSON.stringify(row)}\n`).join('');
  // the heading comes from the shape, because a table without rows has one too
  const [shape = {}] = Array.isArray(response) ? (response as readonly object[]) : [];
  const names = Object.keys(shape).map((name) => name.replace(/\?$/, ''));
  const lines = document.map((row: { readonly [name: string]: unknown }) => names.map((name) => row[name]));
  return [names, ...lines].map((line) => `${line.map(cell).join(',')}\n`).join('');
}

function cell(value: unknown): string {
  const text = textOf(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function elements(document: object): string {
  return Object.entries(document)
    .filter(([name]) => !name.startsWith('@'))
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one: unknown) => element(name, one)))
    .join('');
}

function element(name: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return name === '#text' ? escaped(value) : `<${name}>${escaped(value)}</${name}>`;
  const attributes = Object.entries(value).filter(([field]) => field.startsWith('@'));
  return `<${name}${attributes.map(([field, text]) => ` ${field.slice(1)}="${escaped(text)}"`).join('')}>${elements(value)}</${name}>`;
}

function escaped(value: unknown): string {
  return textOf(value).replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
}
