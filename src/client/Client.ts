import type { Observable } from 'rxjs';
import type { DriftCount } from '../contract/checkAnswer/AnswerWatch.ts';
import type { Operation, OperationSpec } from '../contract/Operation.ts';
import type { Service } from '../contract/Service.ts';
import type { Explanation } from './admission/Explanation.ts';
import type { ClientEvent, HealthState } from './ClientEvent.ts';
import type { Factory } from './Factory.ts';

/** A function for each operation of a service. */
export type FactoriesOf<S extends Service> = {
  readonly [N in keyof S['operations']]: S['operations'][N] extends Operation<infer Spec extends OperationSpec> ? FactoryOf<Spec> : never;
};

/** What the build declares by name is shown by its name in an editor, not as a literal of a hundred lines. */
type FactoryOf<Spec extends OperationSpec> = Spec extends { readonly ' factory': infer Named } ? Named : Factory<Spec>;

/** A service, as Observables. */
export type ClientOf<S extends Service> = FactoriesOf<S> & AnyClient<keyof S['operations'] & string>;

/** What a client of any service has. All its requests share one admission: concurrency, rate, pause, retry, budget. */
export interface AnyClient<Name extends string = string> extends AsyncDisposable {
  /** What the client does, as it does it. Hot: only what happens while you listen. */
  readonly events$: Observable<ClientEvent>;
  /** The health of each operation, from a rolling window: the present state at once, then each change. */
  readonly health$: Observable<{ readonly [N in Name]: HealthState }>;
  /** The present figures. */
  stats(): ClientStats;
  /** What is in flight and what waits, for what and for how long: grouped by operation and path, the longest first. */
  explain(): readonly Explanation[];
  /** What wasn't as documented so far: each issue once, with the number of responses that had it. */
  drift(): readonly DriftCount[];
  /** Ends the requests in flight with an error and leaves no handle open. What was stored is safe then; the store stays open. */
  close(): Promise<void>;
}

export interface ClientStats {
  readonly inFlight: number;
  /** Requests that wait to be sent. */
  readonly waiting: number;
  /** Requests sent, retries included. */
  readonly requests: number;
  /** Pages that came from the store, without a request. */
  readonly hits: number;
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
