import type { DemandNode } from '../demand/DemandNode.ts';
import { Listener } from './Listener.ts';

/**
 * Whether the values of `subscriber` fill the backlog of `holder`. They don't if they go into a promise or a cache;
 * then the holder may be waiting for them. `late`: the subscription was made while a value was being emitted.
 *
 * It follows the link that RxJS operators keep to the next one downstream. Where the link is missing, a hand-written
 * operator looks the same as a promise. It is treated as an operator unless it was subscribed late.
 */
export function leadsTo(subscriber: object, late: boolean, holder: DemandNode): boolean {
  let isLate = late;
  let at: unknown = subscriber;
  while (typeof at === 'object' && at !== null) {
    if (at instanceof Listener) {
      const { place, destination, late } = at.way;
      if (place !== undefined && (place === holder || (destination === undefined && place.holder() === holder))) return true;
      isLate = late === true;
      at = destination;
    } else at = (at as { readonly destination?: unknown }).destination;
  }
  return !isLate;
}
