import type { ClientCore } from './ClientCore.ts';

/** The core of each client, used to spread one client's work over machines. */
export const coreOf: WeakMap<object, ClientCore> = new WeakMap();
