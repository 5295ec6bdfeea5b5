import type { Observable } from 'rxjs';
import type { Operation, OperationSpec } from '../contract/Operation.ts';
import type { Operations } from '../search/index.ts';
import type { ClientEvent, HealthState } from './ClientEvent.ts';
import type { Factory } from './Factory.ts';

export type Factories = {
  readonly [N in keyof Operations]: Operations[N] extends Operation<infer S extends OperationSpec> ? Factory<S> : never;
};

/** The service, as Observables. All that a client sends shares one admission: concurrency, rate, pause, retry, budget. */
export interface Client extends Factories, AsyncDisposable {
  /** What the client does, as it does it. Hot: only what happens while you listen. */
  readonly events$: Observable<ClientEvent>;
  /** The health of each operation, from a rolling window; the present state at once, then each change. */
  readonly health$: Observable<{ readonly [N in keyof Operations]: HealthState }>;
  /** How things stand right now. */
  stats(): ClientStats;
  /** Ends what is in flight with an error and leaves no handle open. */
  close(): Promise<void>;
}

export interface ClientStats {
  readonly inFlight: number;
  /** Requests that wait to be sent. */
  readonly waiting: number;
  /** Requests sent, retries included. */
  readonly requests: number;
  readonly answers: number;
  readonly retries: number;
  /** Answers of 429. */
  readonly throttled: number;
  readonly failures: number;
  /** Requests a second that the pace allows; undefined: no limit is known. */
  readonly rate: number | undefined;
  /** How long the whole client still pauses. */
  readonly pausedMs: number;
  /** What is left of `maxRequests`. */
  readonly budgetLeft: number;
}
