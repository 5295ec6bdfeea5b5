import { EMPTY, Observable, Subject, type ObservableInput, type OperatorFunction } from 'rxjs';
import { distinctBy, keyOption, keyReader, type Key } from './distinctBy.ts';
import { mergeStreams, mergeBoundedOptions, type MergeBoundedOptions } from './mergeBounded.ts';
import type { PageLike } from './PageLike.ts';
import { having, like, text, whole, declareOptions } from './options/index.ts';

/** A page that a fan-out requested, with the row it was requested for. `parent` isn't enumerable, so it is never written to a file. */
export type ChildPage<Page extends PageLike, Parent> = Page & { readonly parent: Parent };

/** A row whose stream failed, with everything that is needed to retry it. */
export interface Failure<Row> {
  readonly row: Row;
  /** The key of the row. Undefined if no key was set. */
  readonly key: unknown;
  /** The query that failed, if known. */
  readonly query: object | undefined;
  /** Requests sent for that query, if known. */
  readonly attempts: number | undefined;
  readonly cause: unknown;
}

export interface FanOutOptions<Row, Child> extends Pick<MergeBoundedOptions, 'concurrency' | 'eager' | 'signal' | 'name'> {
  /** Use each key once: a field name or a function. Rows without a key (null, undefined) are all used. @default every row */
  readonly by?: Key<Row> | undefined;
  /** How many keys to remember for `by`. Beyond that, the key seen longest ago is forgotten. @default Infinity */
  readonly memory?: number | undefined;
  /**
   * What to do with a row whose stream fails: end everything with that error, skip the row, or call a function whose
   * returned values replace the missing ones. Errors that affect every request (`AuthError`, `BudgetError`) are never
   * skipped. @default 'skip' when `failures` is given, else 'fail'
   */
  readonly onError?: 'fail' | 'skip' | ((failure: Failure<Row>) => ObservableInput<Child> | void) | undefined;
  /** Receives each failure as it happens: anything with `next`, such as a Subject. */
  readonly failures?: { next(failure: Failure<Row>): void } | undefined;
}

const { concurrency, eager, signal } = mergeBoundedOptions.kinds;
export const fanOutOptions = declareOptions<FanOutOptions<unknown, unknown>>()({
  by: keyOption(),
  memory: whole({ from: 1 }).or(Infinity),
  concurrency,
  eager,
  onError: like<never>("'fail', 'skip' or a function", (value) => value === 'fail' || value === 'skip' || typeof value === 'function'),
  failures: having<never>('an object with next', 'next'),
  signal,
  name: text().or('fanOut'),
});

/** A fan-out: an operator and its failures. */
export interface FanOut<Row, Child, Failed = Row> extends OperatorFunction<Row, Child> {
  /** Each failure as it happens. Completes when the last stream that uses the operator ends, for any reason. */
  readonly failures$: Observable<Failure<Failed>>;
}

const concernsEveryRequest = new Set(['AuthError', 'BudgetError']);

/**
 * Opens a stream for each row and merges their values. It is bounded: when rows pile up, everything upstream pauses.
 *
 * - Order: streams open in the order of the rows. Their values are merged as they arrive.
 * - Concurrency: `concurrency` streams at once, and no new one while something nearer to the sink is full. When a
 *   hundred rows wait, everything upstream pauses. Time is linear in the number of rows. A row that comes while a value is
 *   being emitted waits until that is over, which it doesn't in `mergeMap`.
 * - Cancellation: unsubscribing ends every stream and drops the waiting rows.
 * - Cost: only the requests of `project`; with `by`, once per key.
 *
 * @example
 * const reviews = fanOut((place: Place) => client.mapsReviews({ data_id: place.data_id }), { by: 'data_id', onError: 'skip' });
 * reviews.failures$.subscribe(({ row, cause }) => log(row, cause));
 * places$.pipe(reviews)
 */
export function fanOut<Row, Child>(
  project: (row: Row) => ObservableInput<Child>,
  given: FanOutOptions<Row, Child> = {},
): FanOut<Row, Child> {
  const options = fanOutOptions.read('fanOut', given);
  const { memory, onError = options.failures === undefined ? 'fail' : 'skip' } = options;
  const keyOf = options.by === undefined ? undefined : keyReader('fanOut', options.by);
  const distinct = keyOf && distinctBy(keyOf, { memory });

  let listeners = new Subject<Failure<Row>>();
  let running = 0;

  const rescue = (row: Row, cause: unknown): ObservableInput<Child> => {
    const { query, attempts, name } = (typeof cause === 'object' && cause !== null ? cause : {}) as Partial<Failure<Row>> & {
      name?: unknown;
    };
    const failure: Failure<Row> = { row, key: keyOf?.(row), query, attempts, cause };
    options.failures?.next(failure);
    listeners.next(failure);
    if (onError === 'fail' || (onError === 'skip' && concernsEveryRequest.has(name as string))) throw cause;
    return (onError === 'skip' ? undefined : onError(failure)) ?? EMPTY;
  };
  const open = mergeStreams(project, { backlog: 100, ...options, rescue });

  const operator: OperatorFunction<Row, Child> = (source) =>
    new Observable((destination) => {
      running += 1;
      destination.add(() => {
        running -= 1;
        if (running > 0) return;
        const ended = listeners;
        listeners = new Subject();
        ended.complete();
      });
      return open(distinct === undefined ? source : source.pipe(distinct)).subscribe(destination);
    });
  const failures$ = new Observable<Failure<Row>>((destination) => listeners.subscribe(destination));
  return Object.assign(operator, { failures$ });
}
