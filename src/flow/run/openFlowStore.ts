import { attachStore, storeOf } from '../../client/attachStore.ts';
import { openStore } from '../../store/index.ts';
import type { Flow } from '../definition/Flow.ts';
import { storeOptionsOf } from '../definition/storeOptionsOf.ts';
import type { FlowClient } from './FlowClient.ts';

/** The store of a run. */
export interface FlowResponses extends AsyncDisposable {
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
