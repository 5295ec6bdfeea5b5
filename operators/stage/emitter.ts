import type { Subscriber } from 'rxjs';
import type { DemandNode } from '../demand/DemandNode.ts';
import { currentDemand, withDemand } from '../demand/demandScope.ts';

/** Passes signals on under `node`, so that what they set off further down is born at its own distance from the sink. */
export interface Emitter<T> {
  readonly next: (value: T) => void;
  readonly error: (error: unknown) => void;
  readonly complete: () => void;
}

export function emitter<T>(destination: Subscriber<T>, node: DemandNode | undefined): Emitter<T> {
  return {
    next(value) {
      if (currentDemand() === node) destination.next(value);
      else withDemand(node, () => destination.next(value));
    },
    error: (error) => withDemand(node, () => destination.error(error)),
    complete: () => withDemand(node, () => destination.complete()),
  };
}
