import { getOrInsert } from '../../../operators/kit/once.ts';
import type { Given } from '../options/resolveKey.ts';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buildConnector, Pool, type Dispatcher, type errors } from 'undici';
import { bodyFormats, isAddressOnly, planOf, requestBody, requestHeaders, type Operation } from '../../contract/index.ts';
import { type SecretParts, secretParts, contentTypes, sentPath } from '../../contract/request.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { Credential, Proof } from '../keys/Credential.ts';
import { makeCredential } from '../keys/makeCredential.ts';
import { Secrets } from '../keys/Secrets.ts';
import { version } from '../version.ts';
import type { RawResponse } from './AttemptFailure.ts';

const ownHeaders = ['accept-encoding', 'gzip, deflate, br', 'user-agent', `trawler/${version}`] as const;

/** A query as its operation says. `path` is without the key. */
interface Unsent {
  readonly path: string;
  readonly operation: Operation;
  readonly query: object;
  /** It asks for the response of a job: nothing is sent but the path, the key and headers. */
  readonly polls: boolean;
}

/** What all requests of an operation have. */
interface UsualRequest extends Pick<WireRequest, 'method' | 'headers'> {
  readonly isAddressOnly: boolean;
  /** Its key is in the address. */
  readonly changesPath: boolean;
  /** What the secrets add to its request. */
  readonly added: SecretParts;
}

/** A request that is complete, and what it carries. */
export interface WireRequest {
  readonly carried: Proof;
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: string | Buffer | Readable | undefined;
}

/** Sends requests with the key. Only this class and its credential know the key. */
export class Transport {
  readonly secrets: Secrets;
  /** Tells whether another client had the same key. It is too short to tell the key. */
  readonly keyDigest: string;
  readonly #credential: Credential;
  /** By what requests carry. */
  readonly #usual = new WeakMap<Proof, WeakMap<Operation, UsualRequest>>();
  readonly #origin: string;
  readonly #settings: Settings;
  /** The client's own connections, by origin. */
  readonly #pools = new Map<string, Pool>();
  readonly #dispatcher: Dispatcher;
  /** What a socket had read before its first request, by local port. */
  readonly #readBefore = new Map<number, number>();
  readonly #brokeInUse = new WeakSet<Error>();

  constructor(given: Given, settings: Settings) {
    this.#settings = settings;
    this.#origin = settings.address.origin;
    this.#dispatcher = this.#dispatcherFor(this.#origin);
    this.secrets = new Secrets(2 * settings.concurrency);
    this.keyDigest = digestOf([given.key, given.values]);
    const dispatcherFor = (origin: string): Dispatcher => this.#dispatcherFor(origin);
    this.#credential = makeCredential(given, { secrets: this.secrets, settings, dispatcherFor });
  }

  /** Completes a request: at once, or when the key has been made ready. */
  ready(unsent: Unsent): WireRequest | Promise<WireRequest> {
    const carried = this.#credential.carry();
    if (carried instanceof Promise) return carried.then((made) => this.#signed(this.#complete(unsent, made)));
    const request = this.#complete(unsent, carried);
    return this.#credential.sign === undefined ? request : this.#signed(request);
  }

  /**
   * Puts the secrets into a request that somebody else has made, in place of what stands there. `isOwn`: whether a value that stands
   * there is kept.
   */
  keyed(
    { path, headers, ...rest }: Omit<WireRequest, 'carried'>,
    operation: Operation,
    isOwn: (value: string) => boolean,
  ): WireRequest | Promise<WireRequest> {
    const complete = (carried: Proof): WireRequest | Promise<WireRequest> => {
      const added = secretParts(operation, carried);
      const [address, search] = [path.replace(/\?.*$/s, ''), /\?(.*)$/s.exec(path)?.[1]];
      const pairs = search === undefined ? [] : search.split('&').map((text) => ({ text, ...named(text) }));
      const kept = new Set(pairs.filter(({ value }) => isOwn(value)).map(({ name }) => name));
      const secret = added.pairs === '' ? [] : added.pairs.split('&').filter((text) => !kept.has(named(text).name));
      const names = new Set(secret.map((text) => named(text).name));
      const left = pairs.filter(({ name }) => !names.has(name)).map(({ text }) => text);
      const whole = search === undefined && secret.length === 0 ? address : `${address}?${[...left, ...secret].join('&')}`;
      const own = added.headers.flatMap((name, at) => {
        if (at % 2 === 1) return [];
        const given = headers.findIndex((each, nth) => nth % 2 === 0 && each.toLowerCase() === name.toLowerCase());
        return given >= 0 && isOwn(headers[given + 1]!) ? [] : [name, added.headers[at + 1]!];
      });
      const request = { carried, path: sentPath(operation, whole, { ...added, pairs: '' }, carried), headers: withHeaders(headers, own) };
      return this.#signed({ ...rest, ...request });
    };
    const carried = this.#credential.carry();
    return carried instanceof Promise ? carried.then(complete) : complete(carried);
  }

  /** The service refused what a request carried. True: a retry carries something new. */
  refused(carried: Proof): boolean {
    return this.#credential.refused(carried);
  }

  send({ method, path, headers, body }: WireRequest, handler: Dispatcher.DispatchHandler): void {
    // undici's own timeouts are off, because the attempt has one deadline for everything.
    this.#dispatcher.dispatch(
      { origin: this.#origin, path, method, headers: headers as string[], body: body ?? null, headersTimeout: 0, bodyTimeout: 0 },
      handler,
    );
  }

  #complete({ path, operation, query, polls }: Unsent, carried: Proof): WireRequest {
    const known = this.#usual.get(carried)?.get(operation) ?? this.#makeUsual(operation, carried);
    const { method, isAddressOnly, headers: usual, added, changesPath } = known;
    const address = changesPath ? sentPath(operation, path, added, carried) : path;
    if (polls) {
      const headers = [...added.headers, ...standardHeaders(operation, false)];
      return { carried, method: 'GET', path: address, headers, body: undefined };
    }
    if (isAddressOnly) return { carried, method, path: address, headers: usual, body: undefined };
    const headers = withHeaders(usual, requestHeaders(operation, query));
    return { carried, method, path: address, headers, body: requestBody(operation, query, carried) };
  }

  #signed(request: WireRequest): WireRequest | Promise<WireRequest> {
    const { sign } = this.#credential;
    if (sign === undefined) return request;
    const { method, path, headers, body } = request;
    const named = Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), headers[at + 1]!]] : [])));
    const text = typeof body === 'string' || body === undefined ? body : Buffer.isBuffer(body) ? body.toString() : '';
    return sign({ method, url: this.#origin + path, headers: named, body: text }).then((signed) => ({
      ...request,
      headers: withHeaders(headers, Object.entries(signed).flat()),
    }));
  }

  /** What all requests of an operation have. The headers that it declares take the place of ours. */
  #makeUsual(operation: Operation, carried: Proof): UsualRequest {
    const added = secretParts(operation, carried);
    const headers = [...added.headers, ...standardHeaders(operation)];
    const method = planOf(operation).method as Dispatcher.HttpMethod;
    const usual = {
      method,
      isAddressOnly: isAddressOnly(operation),
      headers,
      added,
      changesPath: added.pairs !== '' || planOf(operation).secret.inPath !== undefined,
    } as const;
    const ofOperations = this.#usual.get(carried) ?? new WeakMap<Operation, UsualRequest>();
    this.#usual.set(carried, ofOperations.set(operation, usual));
    return usual;
  }

  /** Whether a reused connection broke: the server closed it just as we wrote to it. */
  wasInUse(error: Error): boolean {
    if ((error as Partial<errors.SocketError>).code !== 'UND_ERR_SOCKET') return this.#brokeInUse.has(error);
    const { localPort, bytesRead } = (error as errors.SocketError).socket ?? {};
    return bytesRead !== undefined && bytesRead > (this.#readBefore.get(localPort ?? -1) ?? 0);
  }

  /**
   * A good response to store, as it arrived. If the service repeated the key, it is removed, and the body is stored
   * uncompressed. `body`: decompressed and cleaned. `echoed`: the key was in it.
   */
  withoutKey(raw: RawResponse, body: Buffer, echoed: boolean): RawResponse {
    const { secrets } = this;
    const clean = (text: string): string => secrets.cleanedText(text);
    const cleanHeader = (value: string | readonly string[]): string | string[] =>
      typeof value === 'string' ? clean(value) : value.map(clean);
    const headers = Object.fromEntries(Object.entries(raw.headers).map(([name, value]) => [name, value && cleanHeader(value)]));
    const cleanBody = secrets.cleaned(body);
    const same = Object.keys(headers).every((name) => String(headers[name]) === String(raw.headers[name]));
    if (same && !echoed && cleanBody === body) return raw;
    const { 'content-encoding': _, ...others } = headers;
    return { ...raw, headers: { ...others, 'content-length': String(cleanBody.length) }, body: cleanBody };
  }

  /** Closes the client's own connections. A dispatcher from the options stays open. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.destroy()));
  }

  #dispatcherFor(origin: string): Dispatcher {
    const { dispatcher } = this.#settings;
    if (dispatcher !== undefined) return dispatcher;
    return getOrInsert(this.#pools, origin, () => this.#poolOf(origin));
  }

  #poolOf(origin: string): Pool {
    const settings = this.#settings;
    const connect = buildConnector({ timeout: Math.min(settings.timeoutMs, 10_000) });
    return new Pool(origin, {
      // A socket takes its next request only one turn after its response is complete. With as many spare ones nothing waits for that
      // inside the pool, which would make the request in the async context of another caller.
      connections: 2 * settings.concurrency,
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

/** A parameter of an address. */
function named(text: string): { readonly name: string; readonly value: string } {
  const [[name, value] = ['', '']] = new URLSearchParams(text);
  return { name, value };
}

/** Eight digits that tell keys apart. Loading the module takes 3 ms, so it isn't imported. */
function digestOf(keys: unknown): string {
  const { hash } = process.getBuiltinModule('node:crypto');
  return hash('sha256', JSON.stringify(keys)).slice(0, 8);
}

/** The client's headers and those of an operation. */
function standardHeaders(operation: Operation, hasBody = true): readonly string[] {
  const { bodyAs, constantHeaders } = planOf(operation);
  const content = bodyAs !== undefined && hasBody ? ['content-type', contentTypes[bodyAs]] : [];
  return withHeaders(
    ['accept', bodyFormats[operation.spec.format ?? 'json'].mediaType, ...ownHeaders, ...content],
    Object.entries(constantHeaders).flat(),
  );
}

/** Headers with more of them, which take the place of those with the same name. Both are names and values in turn. */
function withHeaders(headers: readonly string[], more: readonly string[]): readonly string[] {
  const names = new Set(more.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
  return [...headers.filter((_, at) => !names.has(headers[at - (at % 2)]!.toLowerCase())), ...more];
}
