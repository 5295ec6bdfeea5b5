import type { ClientCore } from './ClientCore.ts';

/** A key of request options that need no check, because our own code made them. */
export const rightOptions: unique symbol = Symbol('right options');

/** The core of each client: flows attach a store to it, and spread its work over machines. */
export const coreOf: WeakMap<object, ClientCore> = new WeakMap();
