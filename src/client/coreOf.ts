import type { ClientCore } from './ClientCore.ts';

/** The core of each client: flows attach a store to it, and spread its work over machines. */
export const coreOf: WeakMap<object, ClientCore> = new WeakMap();
