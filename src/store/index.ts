export { openStore, type StoreOptions } from './openStore.ts';
export type { Store, StoreMode, StoredEntry, Finding } from './Store.ts';
export type { StoredResponse, StoreRequest } from './StoredResponse.ts';
