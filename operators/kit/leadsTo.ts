import type { DemandNode } from '../demand/DemandNode.ts';
import { Listener } from './Listener.ts';

/**
 * Whether what `subscriber` gets fills the backlog of `holder`. Not so when it goes into a promise or a cache instead:
 * then the holder may be waiting for it. `late`: the subscription was made while a value was passed on.
 *
 * It follows the way that RxJS's operators keep to the next one below. Where that is cut, an operator that somebody
 * wrote by hand can't be told from a promise; it is taken for the former unless it was subscribed late.
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
