import type { OriginColumn } from '../../operators/rowOrigin.ts';

/**
 * A column: a dotted path; or a path with a heading of its own (an operation's documented column is one of these); or a
 * value made from the whole row. `keys` are the steps of a path whose keys hold dots themselves.
 */
export type ColumnChoice =
  | string
  | {
      readonly path: string;
      readonly header?: string | undefined;
      readonly keys?: readonly string[] | undefined;
      readonly type?: OriginColumn['type'] | undefined;
    }
  | { readonly header: string; readonly value: (row: unknown) => unknown };

/** How rows become a table. */
export interface TableOptions {
  /**
   * A path that is no documented field and that the first row doesn't have is an error; for a field that may come later,
   * give `{ path, header }` or `{ header, value }`.
   *
   * @default the documented fields of the operation that the first row comes from, in documented order. Where that isn't
   * known: the fields of the first rows (up to 1,000 rows or 1 MiB); what comes later goes to `_extra`
   */
  readonly columns?: readonly ColumnChoice[] | undefined;
  /** One more column, `_extra`: the fields that no column takes, as JSON. @default false: they are counted and reported */
  readonly extra?: boolean | undefined;
  /** Called when a field that no column takes is seen for the first time. @default none */
  readonly onUnlisted?: ((path: string) => void) | undefined;
  /** CSV: between cells. @default ',' ('\t' for .tsv) */
  readonly delimiter?: string | undefined;
  /** CSV: around cells. @default '"' */
  readonly quote?: '"' | "'" | undefined;
  /** CSV: behind each row. @default '\n' */
  readonly eol?: '\n' | '\r\n' | undefined;
  /** CSV: what stands for null and absent, without quotes; text that says the same is quoted. @default '' */
  readonly null?: string | undefined;
  /** CSV: begins the file with a byte order mark, which Excel needs to see UTF-8. @default false */
  readonly bom?: boolean | undefined;
  /** CSV: `'escape'` puts an apostrophe before what a spreadsheet would calculate; `'keep'` leaves it. @default 'escape' */
  readonly formulas?: 'escape' | 'keep' | undefined;
}
