import type { Splits } from '../split/Splits.ts';
import type { RowColumns } from './rowsAt.ts';
import type { Paging } from './paging/pagingKinds.ts';

/** The part of an operation's description that a walk reads. */
export interface WalkedOperation extends RowColumns {
  /** What errors, events and help call it. @default its key in `operations` of the service */
  readonly name: string;
  /** How to get to the next page. A description has no field of this name: it is made from `next`, `query` and others. */
  readonly paging: Paging;
  /**
   * The types of its parameters: a token of another type is converted or refused. `batch`: queries may share a request.
   * @default any token fits, and no query shares a request
   */
  readonly params?: { readonly [name: string]: { readonly type: string; readonly batch?: unknown } } | undefined;
  /** The dotted path of the rows in `data`. null: `data` is the only row. @default the list that the page was made from */
  readonly rows?: string | null | undefined;
  /** Only the name of the list is documented. If it is missing and another documented field is there, it counts as empty. */
  readonly listUndocumented?: true | undefined;
  /**
   * The dotted path in `data` of the total number of rows, `unless` one of these parameters narrows the rows. Set it
   * only if the figure is exact, not for an estimate. A description calls it `total`.
   */
  readonly claims?: ClaimsSpec | undefined;
  /** The dotted path in `data` of an estimate of the number of rows. Above 0, a first page without rows contradicts it. */
  readonly estimates?: string | undefined;
  /**
   * Which pages are requested a second time. `'always'` is for a service that is known to be flaky. It adds pages that are usually right,
   * such as a full first page without a token. @default pages that contradict what the service says, and a full last page of several
   */
  readonly recheck?: 'always' | undefined;
  /** The dotted path of the field that is unique among the rows of a query. */
  readonly id?: string | undefined;
  /** How to split a query that returns only its first rows into narrower ones. */
  readonly splits?: Splits | undefined;
}

interface ClaimsSpec {
  /** Where the number is. */
  readonly at: string;
  /** Parameters that narrow the rows, but not the number. Queries with one of them have no such figure. @default none */
  readonly unless?: readonly string[];
}

/** What a walk knows of a page factory: its `spec`, else the `name` and `paging` of the function itself. */
export function specOf(
  factory: Pick<WalkedOperation, 'name' | 'paging'> & { readonly spec?: WalkedOperation | undefined },
): WalkedOperation {
  return factory.spec ?? factory;
}
