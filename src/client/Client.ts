import type { FailedAttempts } from '../errors/FailedAttempts.ts';
import type { Observable } from 'rxjs';
import type { Explanation } from './admission/Task.ts';
import type { ClientEvent } from './events/clientEvents.ts';
import type { HealthState } from './events/healthOf.ts';
import type { DriftCount, Operation, OperationSpec, Service, TypeOf, DataOf, QueryOf, RowAt, RowOf } from '../contract/index.ts';
import type { PageFactory } from '../../operators/PageFactory.ts';
import type { PageRequest } from '../../operators/PageLike.ts';
import type { Paging } from '../../operators/walk/paging/pagingKinds.ts';
import type { RowOrigin } from '../../operators/rowOrigin.ts';

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
  /**
   * The health of each operation over the last minute, counted from the first subscriber on. Emits the current state at once, then each
   * change.
   */
  readonly health$: Observable<{ readonly [N in Name]: HealthState }>;
  /** The current figures. */
  stats(): ClientStats;
  /** Which requests are in flight and which wait, for what and for how long. Grouped by operation and path, longest first. */
  explain(): readonly Explanation[];
  /** Differences from the documentation so far: each issue once, and in how many of the pages that were looked at. */
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
  readonly retries: number;
  /** Requests for the rows of a job that was not done. */
  readonly polls: number;
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

/** The page of an operation, with its default list as rows. */
export type PageOf<S extends OperationSpec> = Page<S['name'], QueryOf<S>, DataOf<S>, RowOf<S>>;

interface RowsCall<Name extends string, Query extends object, Data> {
  /** The same with another list of the response as rows. */
  <const R extends string>(query: Query, request: PageRequest & { readonly rows: R }): Observable<Page<Name, Query, Data, RowAt<Data, R>>>;
}

type VariantCalls<S extends OperationSpec, Name extends string> = S extends {
  readonly variants: { readonly param: infer P extends string; readonly values: infer V };
}
  ? RowsCall<Name, QueryOf<S>, DataOf<S>> &
      UnionToIntersection<{ [K in keyof V & string]: VariantCall<S, Name, P, K, V[K]> }[keyof V & string]>
  : unknown;
type VariantCall<S extends OperationSpec, Name extends string, P extends string, K extends string, V> = V extends {
  readonly response: infer A;
  readonly rows: infer L extends string | null;
}
  ? (
      query: QueryOf<S> & { readonly [param in P]: K extends '*' ? string : K },
      request?: PageRequest,
    ) => Observable<Page<Name, QueryOf<S>, TypeOf<A>, RowAt<TypeOf<A>, L>>>
  : never;
type UnionToIntersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;

/**
 * An operation as an Observable factory. Called with a query, it returns an Observable of ONE page. Nothing is
 * requested until you subscribe. Each subscription is one request. Unsubscribing cancels it.
 */
export interface OperationFactory<Name extends string, Query extends object, Data, Row, Pages extends Paging>
  extends RowsCall<Name, Query, Data>, PageFactory<Query, Page<Name, Query, Data, Row>, Pages> {
  readonly name: Name;
  readonly list: string | null;
  /** The operation's data: parameters, rules, the shape of its response. */
  readonly operation: Operation;
  /** The same, as its description has it. */
  readonly spec: OperationSpec;
}

/** The factory of a description. Its type has what goes in and comes out, because an editor shows that, and not the description. */
export type Factory<S extends OperationSpec = OperationSpec, Name extends string = S['name']> = VariantCalls<S, Name> &
  OperationFactory<Name, QueryOf<S>, DataOf<S>, RowOf<S>, Extract<Paging, { readonly kind: S['paging']['kind'] }>>;

/** One response of one operation. */
export interface Page<Name extends string = string, Query extends object = object, Data = unknown, Row = unknown> {
  readonly operation: Name;
  /** The query as you gave it. */
  readonly query: Query;
  /** The whole response, including undocumented fields. */
  readonly data: Data;
  /** The rows: the operation's list inside `data`, or the list you chose. */
  readonly items: readonly Row[];
  readonly requestId: string;
  /** Milliseconds since 1970, by the service's clock. */
  readonly timestamp: number;
  /** Other fields of the response besides its data, such as raw HTML. Set only if there are any. */
  readonly beside?: { readonly [field: string]: unknown };
  /** `'absent'` if the response doesn't have the list. Not an own property, so it is never written to a file. */
  readonly list: 'present' | 'absent';
  /** The columns of a table of the rows. Not an own property either. */
  readonly origin: RowOrigin | undefined;
  /** Other queries share the response: the ids of all of them. Not an own property either. */
  readonly batch?: readonly string[] | undefined;
}
