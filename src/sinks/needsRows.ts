import type { OperatorFunction } from 'rxjs';
import type { PageLike } from '../../operators/PageLike.ts';

/** No page. The compiler's message says what to do. */
export interface NotAPage {
  readonly items?: 'write items() before the sink';
}

type RowsOnly<Row, Rows = Row> = Row extends PageLike ? NotAPage : Rows;

/** A sink: it takes rows of any kind, but no pages. */
export type SinkOf<Row, Report> = OperatorFunction<RowsOnly<Row>, Report>;

/** The error of a sink whose first row is a page. */
export function pageFault(sink: string, first: unknown): RangeError | undefined {
  const { operation, query, items } = (typeof first === 'object' && first !== null ? first : {}) as Partial<PageLike>;
  if (typeof operation !== 'string' || typeof query !== 'object' || !Array.isArray(items)) return undefined;
  return new RangeError(`${sink} takes rows, and got a page of ${operation}: write items() before it, as in pipe(items(), ${sink}(…))`);
}
