import type { Observable } from 'rxjs';
import { DemandNode } from '../../operators/demand/DemandNode.ts';
import { withDemand } from '../../operators/demand/demandScope.ts';
import { Listener } from '../../operators/kit/Listener.ts';

/** The lower end of a pipe under test, which takes everything and holds when it is told to. */
export interface DemandProbe<T> {
  /** What came so far. */
  readonly values: readonly T[];
  /** How the pipe ended; undefined: it hasn't. */
  readonly end: 'complete' | 'error' | undefined;
  readonly error: unknown;
  /** Requests, and other work, that wait for `release`. */
  readonly held: boolean;
  /** From now on the pipe is told to hold, as by a full file. */
  hold(): void;
  release(): void;
  unsubscribe(): void;
}

/**
 * Subscribes to a pipe as a sink does that can be told to hold, to test whether the pipe above heeds demand.
 *
 * @example
 * const probe = demandProbe(pages$);
 * probe.hold();
 * await later();
 * expect([requests.length, probe.held]).toEqual([1, true]);
 */
export function demandProbe<T>(stream: Observable<T>): DemandProbe<T> {
  const node = new DemandNode(undefined, 0, 'demandProbe');
  const values: T[] = [];
  let end: 'complete' | 'error' | undefined;
  let failure: unknown;
  const observer = {
    next: (value: T): void => void values.push(value),
    error(error: unknown): void {
      end = 'error';
      failure = error;
    },
    complete: (): void => void (end = 'complete'),
  };
  const listener = new Listener<T>(observer);
  withDemand(node, () => stream.subscribe(listener));
  return {
    values,
    get end() {
      return end;
    },
    get error() {
      return failure;
    },
    get held() {
      return node.isAwaited;
    },
    hold: () => node.hold(),
    release: () => node.release(),
    unsubscribe() {
      listener.unsubscribe();
      node.release();
    },
  };
}
