import type { ClientCore } from './ClientCore.ts';

/** In the options of a request: whoever made them knows that they are right. */
export const rightOptions: unique symbol = Symbol('right options');

/** The core of each client: flows attach a store to it, and spread its work over machines. */
export const coreOf: WeakMap<object, ClientCore> = new WeakMap();
