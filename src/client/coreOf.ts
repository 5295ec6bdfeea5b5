import type { ClientCore } from './ClientCore.ts';

/** What is behind each client, for those who spread one client's work over machines. */
export const coreOf: WeakMap<object, ClientCore> = new WeakMap();
