export { openStore, type StoreOptions } from './openStore.ts';
export { parseAge } from '../../operators/kit/days.ts';
export { summarizeStore, type StoreSummary, type StoredDay } from './inspectStore.ts';
export { verifyStore, type StoreCheck, type StoreFault } from './inspectStore.ts';
export { pruneStore, type PruneOptions, type PruneReport } from './pruneStore.ts';
export { exportStore, type ExportedResponse } from './inspectStore.ts';
export type { Store, StoreMode } from './Store.ts';
export type { Finding, ResponseStore, StoredResponse, StoreRequest } from '../contract/index.ts';
