import type { Splits } from '../split/Splits.ts';
import type { RowColumns } from './rowsAt.ts';
import type { Paging } from './paging/pagingKinds.ts';

/** An operation as a walk sees it. Its description has all of this, and a walk gets the description itself. */
export interface WalkedOperation extends RowColumns {
  /** What errors, events and help call it. @default its key in `operations` of the service */
  readonly name: string;
  /** How to get to the next page. It is no word of descriptions, whose texts and words say it. */
  readonly paging: Paging;
  /**
   * What its parameters take: a token of another type is converted, or refused. `batch`: queries may share a request.
   * @default any token fits, and no query shares a request
   */
  readonly params?: { readonly [name: string]: { readonly type: string; readonly batch?: unknown } } | undefined;
  /** The dotted path of the rows in `data`. null if `data` is the one row. @default the list that a page has its rows from */
  readonly rows?: string | null | undefined;
  /** The list is undocumented except for its name: where another documented field is there, it may be missing, and counts as empty. */
  readonly listUndocumented?: true | undefined;
  /**
   * The dotted path in `data` of the total number of rows, `unless` one of these parameters narrows the rows. Set it
   * only if the figure is exact, not for an estimate. It is no word of descriptions, which say `total`.
   */
  readonly claims?: ClaimsSpec | undefined;
  /** The dotted path in `data` of an estimate of the number of rows. Above 0, a first page without rows contradicts it. */
  readonly estimates?: string | undefined;
  /**
   * Which pages are requested a second time. `'always'`, for a service that is known to be flaky: also those that are mostly right,
   * such as a full first page without a token. @default those that contradict what the service says, and a full last page of several
   */
  readonly recheck?: 'always' | undefined;
  /** The dotted path of the field that is unique among the rows of a query. */
  readonly id?: string | undefined;
  /** How to split a query that returns only its first rows into narrower ones. */
  readonly splits?: Splits | undefined;
}

export interface ClaimsSpec {
  /** Where the number is. */
  readonly at: string;
  /** Parameters that narrow the rows, but not the number. Queries with one of them have no such figure. @default none */
  readonly unless?: readonly string[];
}

/** What a walk knows of a page factory: its operation's description, else what the function itself says. */
export function specOf(
  factory: Pick<WalkedOperation, 'name' | 'paging'> & { readonly spec?: WalkedOperation | undefined },
): WalkedOperation {
  return factory.spec ?? factory;
}
