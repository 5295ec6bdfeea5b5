import type { Format } from './endings.ts';
import type { FileSystem } from './FileSystem.ts';
import type { OutputPosition } from './OutputFile.ts';
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
  /** CSV: `'escape'` puts an apostrophe before text that a spreadsheet would calculate, `'keep'` doesn't. @default 'escape' */
  readonly formulas?: 'escape' | 'keep' | undefined;
}

export interface FileOptions {
  /** Replace an existing file, at the end and in one step. @default false: an existing file is an error */
  readonly overwrite?: boolean | undefined;
  /** Append rows to a copy of the existing file. The copy replaces it at the end. @default false */
  readonly append?: boolean | undefined;
  /** The folder that `path` must stay in, also through symlinks. `path` is then relative to it. @default none */
  readonly within?: string | undefined;
  /** Permissions of the file, before the process's umask. @default 0o600 */
  readonly mode?: number | undefined;
  /** Split the output into numbered files with a manifest, by a row limit or an approximate size in bytes. @default none */
  readonly rotate?: { readonly rows?: number | undefined; readonly bytes?: number | undefined } | undefined;
  /** Ends the sink with the signal's reason when it is aborted; rows stay in `<path>.part`. @default none */
  readonly signal?: AbortSignal | undefined;
  /** The disk, for tests. @default nodeFileSystem */
  readonly fileSystem?: FileSystem | undefined;
}

/** Options for a table in a database. */
export interface DatabaseOptions {
  /** @default the file's name without its ending */
  readonly table?: string | undefined;
  /** The columns to index. [] for none. @default the first id column: `id`, or ending in `_id` */
  readonly index?: readonly string[] | undefined;
}

export interface OutputOptions extends FileOptions, TableOptions, DatabaseOptions {
  /** @default chosen by the ending */
  readonly format?: Format | undefined;
  /** Cut the part back to here and resume. `{ bytes: 0, rows: 0 }` starts over. @default none */
  readonly resume?: OutputPosition | undefined;
  /** Keep other processes out with a lock file beside the path. Not needed if the folder is locked. @default true */
  readonly lock?: boolean | undefined;
}
