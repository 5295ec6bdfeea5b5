import type { Subscription } from 'rxjs';
import { withoutSecrets } from '../client/attempt/nextPath.ts';
import { sha256 } from '../files/blocks.ts';
import type { ResponseStore, Service, StoreRequest } from '../contract/index.ts';
import { secretParams } from '../contract/secrets.ts';
import type { Forwarded, Passed } from './Forwarded.ts';

/** Headers by which a service may choose another response. */
const choosing = ['accept', 'accept-encoding', 'accept-language', 'content-type'];
/** A response may vary by these. The key is the same for all, and requests of web pages are refused. */
const keyed: ReadonlySet<string> = new Set([...choosing, 'authorization', 'origin']);
/** A request with one of these wants a part of a response, or only a newer one. */
const special = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

interface ProxyStoreOptions {
  readonly service: Service;
  readonly origin: string;
  /** Callers may send keys of their own. */
  readonly allowKey: boolean;
}

/** The store of a proxy: responses by the requests of callers, and the requests whose responses are still to come. */
export class ProxyStore {
  readonly #store: ResponseStore;
  readonly #of: ProxyStoreOptions;
  readonly #origin: string;
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(store: ResponseStore, options: ProxyStoreOptions) {
    this.#store = store;
    this.#of = options;
    this.#origin = store.mode === 'replay' ? '' : options.origin;
  }

  get isReplay(): boolean {
    return this.#store.mode === 'replay';
  }

  /**
   * The key of a request whose response may be reused: a GET, or an operation that only reads, as the description says. undefined: it may
   * not.
   */
  keyOf(forwarded: Forwarded): StoreRequest | undefined {
    const { method, operation, isKnown, isRepeatable, body, path, target } = forwarded;
    const isRead = method === 'GET' || (isKnown && operation.spec.repeatable !== false && method !== 'HEAD');
    const { service, allowKey } = this.#of;
    // What is left of an account changes with each request.
    if (!isRead || !isRepeatable || operation.spec.job !== undefined || operation.name === service.account?.call) return undefined;
    if (special.some((name) => forwarded.header(name) !== '')) return undefined;
    if (/no-store|no-cache/i.test(forwarded.header('cache-control'))) return undefined;
    // What one caller gets with a key of its own is for no other.
    const chosen = allowKey ? forwarded.headers : choosing.map((name) => forwarded.header(name));
    // The address may have a key of a caller, so only a digest is kept.
    const digest = sha256()
      .update(JSON.stringify([allowKey ? target : withoutSecrets(target, secretParams(service)), ...chosen]))
      .update((body as Buffer | undefined) ?? '')
      .digest('hex');
    const name = `proxy ${operation.name}`.replaceAll(/\W+/g, '-');
    return { service: encodeURIComponent(service.name), operation: name, query: `${method} ${path} ${digest}`, url: this.#origin };
  }

  /** Responds from the store. false: it has no such response. */
  find(key: StoreRequest, forwarded: Forwarded): boolean {
    const found = this.#store.find(key);
    if (found.kind === 'miss') return false;
    const { status, headers, body } = found.response;
    forwarded.isHit = true;
    forwarded.give({
      status,
      headers: Object.entries(headers).flatMap(([name, value = []]) => [value].flat().flatMap((each) => [name, each])),
      body,
    });
    return true;
  }

  /** Resolves when an equal request that was sent is over. undefined: there is none. */
  underWay({ query }: StoreRequest): Promise<void> | undefined {
    return this.#underWay.get(query);
  }

  /** The request is sent now. */
  begin({ query }: StoreRequest, over: Subscription): void {
    const isOver = new Promise<void>((resolve) => over.add(resolve));
    this.#underWay.set(query, isOver);
    over.add(() => this.#underWay.delete(query));
  }

  keep(key: StoreRequest, { status, headers, body }: Passed): void {
    const byName: { [name: string]: string[] } = {};
    for (let at = 0; at < headers.length; at += 2) (byName[headers[at]!.toLowerCase()] ??= []).push(headers[at + 1]!);
    const varies = (byName['vary'] ?? []).flatMap((names) => names.toLowerCase().split(/\s*,\s*/));
    const isRefused = /no-store/i.test(String(byName['cache-control'])) || !varies.every((name) => keyed.has(name));
    const kept = Object.fromEntries(Object.entries(byName).map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
    if (status === 200 && !isRefused) this.#store.keep(key, { status, headers: kept, body });
  }
}
