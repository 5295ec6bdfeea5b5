import type { ObservableInput } from 'rxjs';
import type { Failure } from '../../operators/fanOut.ts';

export interface ChildPagesOptions<Query, Parent, Child> {
  /** More parameters for each query, or a function of the row that gives them. @default none */
  readonly with?: Partial<Query> | ((parent: Parent) => Partial<Query>) | undefined;
  /** Rows worked on at once. @default 8 */
  readonly concurrency?: number | undefined;
  /** What to do when a row's pages fail; as in `fanOut`. @default 'skip' when `failures` is given, else 'fail' */
  readonly onError?: 'fail' | 'skip' | ((failure: Failure<Parent>) => ObservableInput<Child> | void) | undefined;
  /** Is given each failure as it happens. */
  readonly failures?: { next(failure: Failure<Parent>): void } | undefined;
  /** Ends everything with the signal's reason when it is aborted. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Ids to remember so that each is requested once. @default Infinity */
  readonly memory?: number | undefined;
}

export interface ChildWalkOptions<Query, Parent, Child> extends ChildPagesOptions<Query, Parent, Child> {
  /** Pages of one row, at most. @default Infinity */
  readonly maxPages?: number | undefined;
  /** No further page once one row's pages have given this many rows. @default Infinity */
  readonly maxItems?: number | undefined;
}
