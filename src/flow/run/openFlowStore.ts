import { attachStore, storeOf } from '../../client/attachStore.ts';
import { openStore, parseAge, type StoreOptions } from '../../store/index.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowClient } from './FlowClient.ts';
import { resolve } from 'node:path';
import type { FlowDefinition } from '../definition/flowFormat.ts';

/** The store of a run. */
interface FlowResponses extends AsyncDisposable {
  /** Its location. undefined if the run has none. */
  readonly folder: string | undefined;
}

/** Opens the store that a flow names, for its client, unless the client has its own. */
export function openFlowStore(flow: Flow, client: FlowClient): FlowResponses {
  const named = flow.definition.store;
  const own = storeOf(client);
  if (named === undefined || own !== undefined) return { folder: own?.folder, [Symbol.asyncDispose]: () => Promise.resolve() };
  const { folder, ...options } = storeOptionsOf(flow, named);
  const store = openStore(folder, options);
  const detach = attachStore(client, store);
  return {
    folder: detach === false ? undefined : store.folder,
    async [Symbol.asyncDispose]() {
      if (detach !== false) detach();
      await store.close();
    },
  };
}

/** How to open the store that a flow names, or another one written in the same way. */
export function storeOptionsOf(
  flow: Flow,
  named: NonNullable<FlowDefinition['store']>,
): Pick<StoreOptions, 'mode' | 'maxAgeMs'> & { readonly folder: string } {
  const { folder, mode, maxAge } = typeof named === 'string' ? { folder: named } : named;
  return {
    folder: resolve(flow.folder, folder),
    mode,
    maxAgeMs: typeof maxAge === 'string' ? parseAge(maxAge) : maxAge && mapAges(maxAge),
  };
}

function mapAges(ages: { readonly [operation: string]: string }): { readonly [operation: string]: number } {
  return Object.fromEntries(Object.entries(ages).map(([operation, age]) => [operation, parseAge(age) ?? Infinity]));
}
