import { EventEmitter } from 'node:events';
import type { Dispatcher } from 'undici';

/**
 * Whether requests can be sent through it. The dispatchers of undici 6 and before can't: they report a response to other
 * methods of a handler, so a request would never end. Node 20 and 22 contain such a version. Before undici 7, `compose`
 * made another dispatcher, or was missing. Since then it makes a view of the same one. An object of your own with `dispatch` is fine.
 */
export function isDispatcher(value: unknown): value is Dispatcher {
  if (typeof (value as Partial<Dispatcher> | null)?.dispatch !== 'function') return false;
  return !(value instanceof EventEmitter) || isView((value as Partial<Dispatcher>).compose?.([]), value);
}

function isView(composed: EventEmitter | undefined, emitter: EventEmitter): boolean {
  const probe = Symbol('trawler');
  const listener = (): void => undefined;
  emitter.on(probe, listener);
  const isSame = composed?.listenerCount(probe) === 1;
  emitter.off(probe, listener);
  return isSame;
}
