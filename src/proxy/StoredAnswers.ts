import type { Readable } from 'node:stream';
import { sha256 } from '../files/blocks.ts';
import type { Operation, ResponseStore, StoreRequest } from '../contract/index.ts';
import type { Forwarded } from './Forwarded.ts';

interface Asked {
  readonly operation: Operation;
  /** A description knows the operation. */
  readonly isKnown: boolean;
  readonly body: string | Buffer | Readable | undefined;
}

/** Headers by which a service may choose another response. */
const choosing = ['accept', 'accept-encoding', 'accept-language', 'content-type'];
/** A request with one of these wants a part of a response, or only a newer one. */
const special = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

/** Responses of the store, by the requests of callers, and the requests on their way to it. */
export class StoredAnswers {
  readonly #store: ResponseStore;
  readonly #service: string;
  readonly #origin: string;
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(store: ResponseStore, service: string, origin: string) {
    this.#store = store;
    this.#service = encodeURIComponent(service);
    this.#origin = origin;
  }

  get isReplay(): boolean {
    return this.#store.mode === 'replay';
  }

  /** Identifies a request whose response may be used again. A GET may, and what a description says reads. undefined: not this one. */
  keyOf(forwarded: Forwarded, { operation, isKnown, body }: Asked): StoreRequest | undefined {
    const isRead = forwarded.method === 'GET' || (isKnown && operation.spec.repeatable !== false && forwarded.method !== 'HEAD');
    const isWhole = body === undefined || Buffer.isBuffer(body);
    if (!isRead || !isWhole || special.some((name) => forwarded.header(name) !== undefined)) return undefined;
    if (/no-store|no-cache/i.test(forwarded.header('cache-control') ?? '')) return undefined;
    const chosen = choosing.map((name) => forwarded.header(name) ?? '');
    const digest = sha256()
      .update(JSON.stringify(chosen))
      .update(body ?? '')
      .digest('hex');
    // The address may have a key of a caller, so only its digest is kept.
    const address = sha256().update(forwarded.target).digest('hex');
    const query = `${forwarded.method} ${forwarded.path} ${address.slice(0, 32)} ${digest.slice(0, 32)}`;
    return { service: this.#service, operation: `proxy ${operation.name}`.replaceAll(/\W+/g, '-'), query, url: this.#origin };
  }

  /** Answers from the store. False: it has no such response. */
  find(key: StoreRequest, forwarded: Forwarded): boolean {
    const found = this.#store.find(key);
    if (found.kind === 'miss') return false;
    const { status, headers, body } = found.response;
    const pairs = Object.entries(headers).flatMap(([name, value = []]) => (typeof value === 'string' ? [value] : value).flatMap((each) => [name, each])); // prettier-ignore
    forwarded.begin(status, undefined, pairs, { store: 'hit', cost: 0, attempts: 0 });
    forwarded.write(body, () => undefined);
    forwarded.end();
    return true;
  }

  /** An equal request that was sent. It is over when the promise resolves. */
  underWay({ query }: StoreRequest): Promise<void> | undefined {
    return this.#underWay.get(query);
  }

  /** The request is sent now. Returns what says that it is over. */
  begin({ query }: StoreRequest): () => void {
    let over = (): void => undefined;
    this.#underWay.set(query, new Promise((resolve) => (over = resolve)));
    return () => {
      this.#underWay.delete(query);
      over();
    };
  }

  keep(
    key: StoreRequest,
    { status, headers, body }: { readonly status: number; readonly headers: readonly string[]; readonly body: Buffer },
  ): void {
    if (status !== 200) return;
    const byName: { [name: string]: string[] } = {};
    for (let at = 0; at < headers.length; at += 2) (byName[headers[at]!.toLowerCase()] ??= []).push(headers[at + 1]!);
    const isRefused = /no-store/i.test(String(byName['cache-control'])) || byName['vary']?.includes('*') === true;
    if (isRefused || this.#store.mode === 'replay') return;
    this.#store.keep(key, { status, headers: Object.fromEntries(Object.entries(byName).map(([name, all]) => [name, all.length === 1 ? all[0] : all])), body }); // prettier-ignore
  }

  sync(): Promise<void> {
    return this.#store.sync();
  }
}
