import type { FailedAttempts } from '../errors/FailedAttempts.ts';
import type { Observable } from 'rxjs';
import type { Explanation } from './admission/Task.ts';
import type { ClientEvent, HealthState } from './events/clientEvents.ts';
import type { Factory } from './Factory.ts';
import type { DriftCount, Operation, OperationSpec, Service } from '../contract/index.ts';

/** A function for each operation of a service. */
export type FactoriesOf<S extends Service> = {
  readonly [N in keyof S['operations']]: S['operations'][N] extends Operation<infer Spec extends OperationSpec>
    ? FactoryOf<Spec, N & string>
    : never;
};

/** The build declares these types by name, so that an editor shows the name, not a literal of a hundred lines. */
type FactoryOf<Spec extends OperationSpec, Name extends string> = Spec extends { readonly ' factory': infer Named }
  ? Named
  : Factory<Spec, Name>;

/** A service as Observables. */
export type ClientOf<S extends Service> = FactoriesOf<S> & AnyClient<keyof S['operations'] & string>;

/** The members of every client. All its requests share one admission: concurrency, rate, pause, retry, budget. */
export interface AnyClient<Name extends string = string> extends AsyncDisposable {
  /** Events as they happen. Hot: you get only events that happen while you are subscribed. */
  readonly events$: Observable<ClientEvent>;
  /** The health of each operation over a rolling window. Emits the current state at once, then each change. */
  readonly health$: Observable<{ readonly [N in Name]: HealthState }>;
  /** The current figures. */
  stats(): ClientStats;
  /** Which requests are in flight and which wait, for what and for how long. Grouped by operation and path, longest first. */
  explain(): readonly Explanation[];
  /** Differences from the documentation so far: each issue once, with the number of responses that had it. */
  drift(): readonly DriftCount[];
  /** Ends the requests in flight with an error and leaves no handle open. Stored responses are safe afterwards. The store stays open. */
  close(): Promise<void>;
}

export interface ClientStats {
  readonly inFlight: number;
  /** Requests waiting to be sent. */
  readonly waiting: number;
  /** Requests sent, including retries. */
  readonly requests: number;
  /** Pages read from the store, without a request. */
  readonly hits: number;
  readonly responses: number;
  /** Stored pages that a 304 said are still good. Each cost a request, and is one of `responses`. */
  readonly notModified: number;
  readonly retries: number;
  /** 429 responses. */
  readonly throttled: number;
  readonly failures: number;
  /** Attempts that failed, retried or not, by reason: the most frequent first. */
  readonly failedAttempts: readonly FailedAttempts[];
  /** Requests per second that the pace allows. Undefined if no limit is known. */
  readonly rate: number | undefined;
  /** How much longer the whole client pauses. */
  readonly pausedMs: number;
  /** When that pause ends, in milliseconds since 1970. Undefined without a pause. */
  readonly pausedUntil: number | undefined;
  /** Requests left of `maxRequests`. */
  readonly budgetLeft: number;
}
