import type { RowOrigin } from '../../operators/rowOrigin.ts';

/** One answer of one operation. */
export interface Page<Name extends string = string, Query extends object = object, Data = unknown, Row = unknown> {
  readonly operation: Name;
  /** The query as it was asked. */
  readonly query: Query;
  /** The whole answer, undocumented fields included. */
  readonly data: Data;
  /** The rows: the operation's list inside `data`, or the list that was asked for. */
  readonly items: readonly Row[];
  readonly requestId: string;
  /** Milliseconds since 1970, by the service's clock. */
  readonly timestamp: number;
  /** Fields that the response has beside its data, such as raw HTML; only there where it has some. */
  readonly beside?: { readonly [field: string]: unknown };
  /** `'absent'` where the answer does not have the list at all; not an own property, so it is never written to a file. */
  readonly list: 'present' | 'absent';
  /** What a table of the rows looks like; not an own property either. */
  readonly origin: RowOrigin | undefined;
}
