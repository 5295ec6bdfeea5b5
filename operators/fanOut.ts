import { checkOptions } from './check/checkOptions.ts';
import { catchError, defer, EMPTY, from, Observable, Subject, type ObservableInput, type OperatorFunction } from 'rxjs';
import { checkCount } from './check/checkCount.ts';
import { distinctBy } from './distinctBy.ts';
import type { Failure } from './Failure.ts';
import { keyReader, type Key } from './keyReader.ts';
import { mergeBounded } from './mergeBounded.ts';

export interface FanOutOptions<Row, Child> {
  /** Each key once: a field's name or a function. Rows without a key (null, undefined) are all taken. @default every row */
  readonly by?: Key<Row> | undefined;
  /** Keys to remember for `by`; beyond that the one seen longest ago is forgotten. @default Infinity */
  readonly memory?: number | undefined;
  /** Streams at once. @default 8 */
  readonly concurrency?: number | undefined;
  /** Opens streams although something nearer to the sink holds, for what can't wait. @default false */
  readonly eager?: boolean | undefined;
  /**
   * What to do with a row whose stream fails: end everything with that error, go on without the row, or what a function
   * says: the values it returns take the place of those still to come. What concerns every request (`AuthError`,
   * `BudgetError`) is never skipped. @default 'skip' when `failures` is given, else 'fail'
   */
  readonly onError?: 'fail' | 'skip' | ((failure: Failure<Row>) => ObservableInput<Child> | void) | undefined;
  /** Ends everything with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Is given each failure as it happens; anything with `next`, such as a Subject. */
  readonly failures?: { next(failure: Failure<Row>): void } | undefined;
}

/** A fan-out: an operator, and the failures of whatever runs through it. */
export interface FanOut<Row, Child, Failed = Row> extends OperatorFunction<Row, Child> {
  /** Each failure as it happens. Completes when the last stream that runs through the operator ends, for whatever reason. */
  readonly failures$: Observable<Failure<Failed>>;
}

const concernsEveryRequest = new Set(['AuthError', 'BudgetError']);

/**
 * Rows to the values of a stream each: the bounded stage, which stops what is above it when rows pile up.
 *
 * - Order: streams open in the order of the rows; what they give is merged as it comes.
 * - Concurrency: `concurrency` streams at once, and no new one while something nearer to the sink holds. A hundred
 *   waiting rows hold what is above. Time is linear in the number of rows.
 * - Cancellation: unsubscribing ends every stream and forgets the waiting rows.
 * - Cost: none but what `project` asks for; with `by`, once a key.
 *
 * @example
 * const reviews = fanOut((place: Place) => client.mapsReviews({ data_id: place.data_id }), { by: 'data_id', onError: 'skip' });
 * reviews.failures$.subscribe(({ row, cause }) => log(row, cause));
 * places$.pipe(reviews)
 */
export function fanOut<Row, Child>(
  project: (row: Row) => ObservableInput<Child>,
  options: FanOutOptions<Row, Child> = {},
): FanOut<Row, Child> {
  checkOptions('fanOut', options, ['by', 'memory', 'concurrency', 'eager', 'onError', 'failures', 'signal']);
  const concurrency = checkCount('fanOut', 'concurrency', options.concurrency ?? 8);
  const keyOf = options.by === undefined ? undefined : keyReader('fanOut', options.by);
  const distinct = keyOf && distinctBy(keyOf, { memory: checkCount('fanOut', 'memory', options.memory ?? Infinity) });
  const onError = options.onError ?? (options.failures === undefined ? 'fail' : 'skip');
  if (onError !== 'fail' && onError !== 'skip' && typeof onError !== 'function') {
    throw new RangeError(`fanOut: onError must be 'fail', 'skip' or a function, not ${String(onError)}`);
  }

  let listeners = new Subject<Failure<Row>>();
  let running = 0;

  const handle = (row: Row, cause: unknown): ObservableInput<Child> => {
    const { query, attempts, name } = (typeof cause === 'object' && cause !== null ? cause : {}) as Partial<Failure<Row>> & {
      name?: unknown;
    };
    const failure: Failure<Row> = { row, key: keyOf?.(row), query, attempts, cause };
    options.failures?.next(failure);
    listeners.next(failure);
    if (onError === 'fail' || (onError === 'skip' && concernsEveryRequest.has(name as string))) throw cause;
    return (onError === 'skip' ? undefined : onError(failure)) ?? EMPTY;
  };
  const open = mergeBounded((row: Row) => defer(() => project(row)).pipe(catchError((cause: unknown) => from(handle(row, cause)))), {
    concurrency,
    eager: options.eager,
    signal: options.signal,
    name: 'fanOut',
  });

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
