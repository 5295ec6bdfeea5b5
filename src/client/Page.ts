import type { RowOrigin } from '../../operators/rowOrigin.ts';

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
