import type { MonoTypeOperatorFunction } from 'rxjs';
import { hasKey, type Key, keyOption, keyReader } from './distinctBy.ts';
import { Saturation } from './estimate/Saturation.ts';
import { defineOperator } from './kit/defineOperator.ts';
import type { PageLike } from './PageLike.ts';
import { number, whole, declareOptions } from './options/index.ts';

export interface UntilSaturatedOptions<Row> {
  /** The id of a row: a field, or a function of the row. A row without one (null, undefined) counts as new. */
  readonly id: Key<Row>;
  /** The smallest share of new rows that pays. @default 0.02 */
  readonly newRows?: number | undefined;
  /** How many of the latest pages count. @default 50 */
  readonly over?: number | undefined;
}

const untilSaturatedOptions = declareOptions<UntilSaturatedOptions<unknown>>()({
  id: keyOption<unknown>().needed(),
  newRows: number({ above: 0, to: 1 }).or(0.02),
  over: whole({ from: 1, finite: true }).or(50),
});

/**
 * Passes pages on until they no longer pay: fewer than `newRows` of the rows of the last `over` pages were new. The page that
 * shows it is emitted too. Then everything upstream is unsubscribed, so no further page is requested. Put it behind
 * walks of overlapping queries.
 *
 * - Order: kept. Concurrency: none. Cancellation: unsubscribing forgets the ids.
 * - Memory: the id of every row.
 * - Cost: saves the requests after it.
 *
 * @example
 * from(terms).pipe(offsetPages(client.mapsSearch), untilSaturated({ id: 'data_id', newRows: 0.02, over: 50 }), items())
 */
export function untilSaturated<Page extends PageLike>(
  options: UntilSaturatedOptions<Page['items'][number]>,
): MonoTypeOperatorFunction<Page> {
  const { id, newRows, over } = untilSaturatedOptions.read('untilSaturated', options as UntilSaturatedOptions<unknown>);
  const idOf = keyReader<unknown>('untilSaturated', id);
  return defineOperator<Page, Page>((source, out) => {
    const seen = new Set<unknown>();
    const saturation = new Saturation({ newRows, over });
    out.listen(source, {
      next(page) {
        const ids = page.items.map(idOf);
        const named = ids.filter(hasKey);
        const before = seen.size;
        for (const id of named) seen.add(id);
        const isOver = saturation.add(ids.length, ids.length - named.length + seen.size - before);
        out.next(page);
        if (isOver && !out.closed) out.complete();
      },
    });
  });
}
