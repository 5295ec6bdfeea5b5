import type { Socket } from 'node:net';
import { buildConnector, errors, Pool, type Dispatcher } from 'undici';
import { hasBody, requestBody, requestHeaders, type Operation } from '../../contract/index.ts';
import type { Settings } from '../options/resolveOptions.ts';
import { addressWithKey } from '../keys/addressWithKey.ts';
import type { Proof, Credential } from '../keys/Credential.ts';
import { makeCredential } from '../keys/makeCredential.ts';
import { Secrets } from '../keys/Secrets.ts';
import { version } from '../version.ts';
import type { RawResponse } from './RunningAttempt.ts';

const ownHeaders = ['accept', 'application/json', 'accept-encoding', 'gzip, deflate, br', 'user-agent', `trawler/${version}`] as const;

/** What is sent: the body and the headers are those of the query. */
interface WireRequest {
  readonly path: string;
  readonly operation: Operation;
  readonly query: object;
  readonly carried: Proof;
}

/** Sends requests with the key. Only this class and its credential know the key. */
export class Transport {
  readonly secrets = new Secrets();
  readonly #credential: Credential;
  /** The headers that all requests of an operation have, by what they carry. */
  readonly #headers = new WeakMap<Proof, WeakMap<Operation, string[]>>();
  readonly #origin: string;
  readonly #pool: Pool | undefined;
  readonly #dispatcher: Dispatcher;
  /** What a socket had read before its first request, by local port. */
  readonly #readBefore = new Map<number, number>();
  readonly #brokeInUse = new WeakSet<Error>();

  constructor(key: string, settings: Settings) {
    this.#credential = makeCredential(settings.service.key, key, this.secrets, settings.clock);
    this.#origin = settings.address.origin;
    this.#pool = settings.dispatcher === undefined ? this.#ownPool(settings) : undefined;
    this.#dispatcher = settings.dispatcher ?? this.#pool!;
  }

  /** What says who sends a request: at once, or when it has been made. */
  carry(): Proof | Promise<Proof> {
    return this.#credential.carry();
  }

  /** The service refused what a request carried. True: a retry carries something new. */
  refused(carried: Proof): boolean {
    return this.#credential.refused(carried);
  }

  send({ path, operation, query, carried }: WireRequest, handler: Dispatcher.DispatchHandler): void {
    const { method = 'GET' } = operation.spec;
    const body = requestBody(operation, query) ?? null;
    const own = requestHeaders(operation, query);
    const standard = this.#headersOf(operation, carried);
    const headers = own.length === 0 ? standard : [...standard, ...own];
    // undici's own timeouts are off, because the attempt has one deadline for everything.
    this.#dispatcher.dispatch(
      { origin: this.#origin, path: addressWithKey(path, carried), method, headers, body, headersTimeout: 0, bodyTimeout: 0 },
      handler,
    );
  }

  /** The headers of every request of an operation: those it declares take the place of ours. */
  #headersOf(operation: Operation, carried: Proof): string[] {
    let ofOperations = this.#headers.get(carried);
    if (ofOperations === undefined) this.#headers.set(carried, (ofOperations = new WeakMap()));
    let headers = ofOperations.get(operation);
    if (headers === undefined) ofOperations.set(operation, (headers = [...carried.headers, ...withHeaders(operation.spec)]));
    return headers;
  }

  /** Whether a reused connection broke: the server closed it just as we wrote to it. */
  wasInUse(error: Error): boolean {
    if (!(error instanceof errors.SocketError)) return this.#brokeInUse.has(error);
    const { localPort, bytesRead } = error.socket ?? {};
    return bytesRead !== undefined && bytesRead > (this.#readBefore.get(localPort ?? -1) ?? 0);
  }

  /**
   * A good response to store, as it arrived. If the service repeated the key, it is removed, however short, and the
   * body is stored uncompressed. `body`: decompressed and cleaned. `echoed`: the key was in it.
   */
  withoutKey(raw: RawResponse, body: Buffer, echoed: boolean): RawResponse {
    const { secrets } = this;
    const { headers } = raw;
    const holds = (text: string): boolean => secrets.isIn(text);
    const inHeaders = Object.values(headers).some((value) => (typeof value === 'string' ? holds(value) : value?.some(holds)));
    if (!echoed && !inHeaders && !secrets.isIn(body)) return raw;
    const redact = (text: string): string => secrets.redact(text);
    const redacted = Buffer.from(redact(body.toString('latin1')), 'latin1');
    const { 'content-encoding': _, ...others } = headers;
    const entries = Object.entries(others).map(([name, value]) => [name, typeof value === 'string' ? redact(value) : value?.map(redact)]);
    return { ...raw, headers: { ...Object.fromEntries(entries), 'content-length': String(redacted.length) }, body: redacted };
  }

  /** Closes the client's own connections. A dispatcher from the options stays open. */
  async close(): Promise<void> {
    await this.#pool?.destroy();
  }

  #ownPool(settings: Settings): Pool {
    const connect = buildConnector({ timeout: Math.min(settings.timeoutMs, 10_000) });
    return new Pool(settings.address.origin, {
      // A socket takes its next request only one turn after its response is complete. Spare sockets avoid that wait.
      connections: settings.concurrency + Math.floor(settings.concurrency / 2),
      pipelining: 1,
      connect: (options, callback) => {
        connect(options, (...result) => {
          const [error, socket] = result;
          if (error === null) this.#watch(socket);
          callback(...result);
        });
      },
    });
  }

  #watch(socket: Socket): void {
    const before = socket.bytesRead;
    if (socket.localPort !== undefined) this.#readBefore.set(socket.localPort, before);
    socket.on('error', (error) => {
      if (socket.bytesRead > before) this.#brokeInUse.add(error);
    });
  }
}

/** The client's headers and those of an operation, which take their place. */
function withHeaders(spec: Operation['spec']): string[] {
  const told = new Map(Object.entries(spec.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  if (hasBody(spec) && !told.has('content-type')) told.set('content-type', contentTypes[spec.bodyAs ?? 'json']);
  const kept = ownHeaders.filter((_, index) => !told.has(ownHeaders[index - (index % 2)]!));
  return [...kept, ...[...told].flat()];
}

const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;
