import type { RowOrigin } from './rowOrigin.ts';

/** What leads to the next page: a text, or a number, list or object if the parameter takes one. */
export type Token = string | number | readonly unknown[] | { readonly [key: string]: unknown };

/** What the operators need from a page: one response of one operation. */
export interface PageLike {
  readonly operation: string;
  readonly query: object;
  /** The response. */
  readonly data: unknown;
  /** The list that the rows come from. Empty if the response doesn't have it. */
  readonly items: readonly unknown[];
  /** Whether the list was present. A missing list is not the same as an empty one. If left out, it was present. */
  readonly list?: 'present' | 'absent';
  /** `empty`: a rule of the description says that this response means no rows. */
  readonly told?: 'empty' | undefined;
  /** Number of rows in the list, including rows skipped for their shape. If left out, the length of `items`. */
  readonly received?: number | undefined;
  /**
   * Entries of the outer list, where rows are inside of entries. A page whose entries have no rows isn't empty.
   * @default the rows are the entries
   */
  readonly entries?: number | undefined;
  /** Other queries share the response: the ids of all of them. `received` and `mark` are then those of the whole response. */
  readonly batch?: readonly string[] | undefined;
  /** How many rows of the response belong to other queries. @default 0 */
  readonly others?: number | undefined;
  /** Identifies the page by all of its rows. If left out, it is computed from them. */
  readonly mark?: number | undefined;
  /** The address or the parameters of the next page, if they aren't in `data`. */
  readonly next?: Token | undefined;
  /** What headers of the response say, by where an operation looks for a number: `header:x-total-count`. */
  readonly headers?: { readonly [at: string]: string } | undefined;
  /** The columns of a table of the rows. `items` passes it on with each row. */
  readonly origin?: RowOrigin | undefined;
}

export interface PageRequest {
  /** Another list of the response, as a dotted path in `data`. */
  readonly rows?: string | undefined;
  /** What a response without the list means: that there are no rows. @default it is no page, so the request fails */
  readonly missing?: 'empty' | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What the page is for, such as the stage of a flow; events and jobs of a queue carry it. */
  readonly label?: string | undefined;
  /** Distinguishes the pages of one query from those of others with the same label. Events carry it. */
  readonly walk?: number | undefined;
  /** The path of a job that was started for this page, as a `pending` event gave it. @default it is started */
  readonly job?: string | undefined;
  /** The `batch` of the page before, for a later page of a walk. */
  readonly batch?: readonly string[] | undefined;
  /** How the client's store is used. `renew`: a stored response is replaced, except in a replay. `skip`: not at all. @default 'use' */
  readonly store?: 'use' | 'renew' | 'skip' | undefined;
}

export type WalkEvent =
  | {
      readonly type: 'capped';
      readonly operation: string;
      readonly query: object;
      /** `'full'`: it returned as many rows as the service allows, and could not be split. */
      readonly limit: 'maxPages' | 'maxItems' | 'limit' | 'full';
      readonly pages: number;
      readonly items: number;
      /** Where to resume the walk. */
      readonly nextCursor?: Token | undefined;
      /** Why a full search could not be split, and what to do. */
      readonly message?: string | undefined;
    }
  /** A walk ended with fewer rows than the service says there are. `tolerable`: so few are missing that its figure may be wrong. */
  | {
      readonly type: 'short';
      readonly operation: string;
      readonly query: object;
      readonly got: number;
      readonly claimed: number;
      readonly tolerable: boolean;
    }
  /**
   * A page that seems to lack rows. No figure says how many, or whether any are missing. `droppedAsRepeats`: the number of rows without an
   * id that were left out as repeated.
   */
  | {
      readonly type: 'thinPage';
      readonly operation: string;
      readonly query: object;
      readonly message: string;
      readonly droppedAsRepeats?: number;
    }
  /**
   * A walk ended on a full page, and no second request confirmed that nothing follows: it was the only page, or the request was refused.
   */
  | { readonly type: 'fullEnd'; readonly operation: string; readonly query: object }
  /** A fan-out made no query from any of its rows. */
  | { readonly type: 'unused'; readonly operation: string; readonly query: object; readonly rows: number };

/** The number of rows of a page, including those that were left out. If rows are inside of entries, the number of entries. */
export function receivedOf(page: PageLike): number {
  return page.entries ?? page.received ?? page.items.length;
}

/** The number of rows of a page, including those that were left out. */
export function rowCountOf(page: PageLike): number {
  return page.received ?? page.items.length;
}
