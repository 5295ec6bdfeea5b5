import type { OriginColumn } from '../../operators/rowOrigin.ts';

/**
 * A column: a dotted path, a path with its own heading (such as an operation's documented column), or a
 * value computed from the whole row. `keys` are the steps of a path whose keys contain dots.
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
   * A path that is neither a documented field nor in the first row is an error. For a field that may appear later,
   * give `{ path, header }` or `{ header, value }`.
   *
   * @default the documented fields of the first row's operation, in documented order. If the operation isn't
   * known: the fields of the first rows (up to 1,000 rows or 1 MiB). Later fields go to `_extra`
   */
  readonly columns?: readonly ColumnChoice[] | undefined;
  /** Adds a column `_extra` with the fields that have no column, as JSON. @default false: they are counted and reported */
  readonly extra?: boolean | undefined;
  /** Called the first time a field without a column is seen. @default none */
  readonly onUnlisted?: ((path: string) => void) | undefined;
  /** CSV: text between cells. @default ',' ('\t' for .tsv) */
  readonly delimiter?: string | undefined;
  /** CSV: quote character around cells. @default '"' */
  readonly quote?: '"' | "'" | undefined;
  /** CSV: text after each row. @default '\n' */
  readonly eol?: '\n' | '\r\n' | undefined;
  /** CSV: written for null and absent, without quotes. The same text as a value is quoted. @default '' */
  readonly null?: string | undefined;
  /** CSV: start the file with a byte order mark, which Excel needs to detect UTF-8. @default false */
  readonly bom?: boolean | undefined;
  /** CSV: `'escape'` puts an apostrophe before text that a spreadsheet may run, `'keep'` doesn't. @default 'escape' */
  readonly formulas?: 'escape' | 'keep' | undefined;
}
