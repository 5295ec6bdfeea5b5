import type { ResponseStore, Service } from '../contract/index.ts';
import { coreOf } from './coreOf.ts';

/**
 * Gives a client a store for the length of a run. Returns a function that removes it. False: the client has its own
 * store, which stays.
 */
export function attachStore(client: object, store: ResponseStore): (() => void) | false {
  const core = coreOf.get(client);
  if (core === undefined || core.stored !== undefined) return false;
  core.useStore(store);
  return () => void (core.stored = undefined);
}

/** Books what a client spends to a flow, in its ledger. Returns a function that ends that. */
export function bookTo(client: object, flow: string): () => void {
  const ledger = coreOf.get(client)?.ledger;
  ledger?.bookTo(flow);
  return () => ledger?.bookTo(undefined);
}

/** The service of a client. undefined for what isn't one of ours. */
export function serviceOfClient(client: object): Service | undefined {
  return coreOf.get(client)?.settings.service;
}

/** From now on, stored responses from before `at` are requested again. Returns a function that ends that. */
export function takeOnlySince(client: object, at: number): () => void {
  const responses = coreOf.get(client)?.stored;
  if (responses === undefined || responses.store.mode === 'replay') return () => undefined;
  responses.since = at;
  return () => void (responses.since = -Infinity);
}

/** A digest of a client's key, or of its workers' key, if a page has come with it. */
export function workingKey(client: object): string | undefined {
  return coreOf.get(client)?.trouble.workingKey;
}

/** In an earlier run a page came with the key of this digest. If a client has that key, a 403 is about a query. */
export function keyWorked(client: object, digest: string): void {
  const core = coreOf.get(client);
  if (core === undefined) return;
  if (core.remote !== undefined || core.transport.keyDigest === digest) core.trouble.keyWorks(digest); // workers compare it with theirs
}

/** A long wait before another try, for queries that failed for good: ten times a client's first wait. */
export function longWaitMs(client: object): number {
  const settings = coreOf.get(client)?.settings;
  return settings === undefined ? 0 : Math.min(10 * settings.baseMs, settings.capMs);
}

/** The store of a client, or undefined. */
export function storeOf(client: object): ResponseStore | undefined {
  return coreOf.get(client)?.stored?.store;
}
