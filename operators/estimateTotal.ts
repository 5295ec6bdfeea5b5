import { finalize, type MonoTypeOperatorFunction, Observable } from 'rxjs';
import { hasKey, type Key, keyOption, keyReader } from './distinctBy.ts';
import { CaptureCounts } from './estimate/CaptureCounts.ts';
import { noBounds, type TotalBound } from './estimate/totalBound.ts';
import { defineOperator } from './kit/defineOperator.ts';
import { having, declareOptions } from './options/index.ts';

export interface EstimateTotalOptions<Row> {
  /** The id of a row: a field, or a function of the row. */
  readonly id: Key<Row>;
  /** The query that found a row: a column that `items({ keep })` adds, or a function. @default each row counts as found by a query of its own */
  readonly query?: Key<Row> | undefined;
  /** Receives the estimate each time the operator ends. */
  readonly summary?: { next(estimate: TotalEstimate): void } | undefined;
}

/** How many rows exist at least, with a 95 % confidence interval. Without it, `because` says why nothing can be said. */
export type TotalEstimate = TotalBound | { readonly found: number; readonly because: string };

const estimateTotalOptions = declareOptions<EstimateTotalOptions<unknown>>()({
  id: keyOption<unknown>().needed(),
  query: keyOption<unknown>(),
  summary: having('an object with next', 'next'),
});

/**
 * Estimates how many rows exist, from those that came again, and passes all rows on. For rows that several queries look for:
 * overlapping search terms, several orders, repeated runs. It must see repeated rows, so put it before `distinctBy`.
 *
 * - Order: kept. Concurrency: none. Cancellation: unsubscribing ends it, and tells the estimate so far.
 * - Memory: the id of every row, with the first two of its queries.
 * - Cost: none.
 *
 * @example
 * rows$.pipe(estimateTotal({ id: 'data_id', query: 'term', summary: { next: (estimate) => console.log(estimate) } }), distinctBy('data_id'))
 */
export function estimateTotal<Row>(options: EstimateTotalOptions<Row>): MonoTypeOperatorFunction<Row> {
  const { id, query, summary } = estimateTotalOptions.read('estimateTotal', options as EstimateTotalOptions<unknown>);
  const idOf = keyReader<unknown>('estimateTotal', id);
  const queryOf = query === undefined ? undefined : keyReader<unknown>('estimateTotal', query);
  return (source) =>
    new Observable<Row>((destination) => {
      const counts = new CaptureCounts<unknown>();
      const queries = new Map<unknown, number>();
      const numberOf = (row: Row): number => {
        const key = queryOf === undefined ? queries.size : queryOf(row);
        const known = queries.get(key) ?? queries.size;
        queries.set(key, known);
        return known;
      };
      const counted = defineOperator<Row, Row>((rows, out) =>
        out.listen(rows, {
          next(row) {
            const key = idOf(row);
            if (hasKey(key)) counts.add(key, numberOf(row));
            out.next(row);
          },
        }),
      );
      const tell = (): void => {
        const bound = counts.bound();
        summary?.next(typeof bound === 'string' ? { found: counts.frequencies.found, because: noBounds[bound] } : bound);
      };
      return source.pipe(counted, finalize(tell)).subscribe(destination);
    });
}
