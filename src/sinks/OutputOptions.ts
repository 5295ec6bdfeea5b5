import type { Format } from './endings.ts';
import type { FileSystem } from './FileSystem.ts';
import type { OutputPosition } from './OutputFile.ts';
import type { TableOptions } from './TableOptions.ts';

export interface FileOptions {
  /** Replaces a file that is there, at the end and in one step. @default false: a file that is there is an error */
  readonly overwrite?: boolean | undefined;
  /** Goes on with the file that is there, on a copy that takes its place at the end. @default false */
  readonly append?: boolean | undefined;
  /** The folder that `path` must stay in, symlinks followed; `path` is then relative to it. @default none */
  readonly within?: string | undefined;
  /** Permissions of the file, before the process' umask. @default 0o600 */
  readonly mode?: number | undefined;
  /** Cuts the output into numbered parts of at most so many rows, or of about so many bytes, with a manifest. @default none */
  readonly rotate?: { readonly rows?: number | undefined; readonly bytes?: number | undefined } | undefined;
  /** The disk, for tests. @default nodeFileSystem */
  readonly fileSystem?: FileSystem | undefined;
}

/** What is told of a table in a database. */
export interface DatabaseOptions {
  /** @default the file's name without its ending */
  readonly table?: string | undefined;
  /** The columns to find rows by; none for []. @default the first that is an id: `id`, or ending in `_id` */
  readonly index?: readonly string[] | undefined;
}

export interface OutputOptions extends FileOptions, TableOptions, DatabaseOptions {
  /** @default by the ending */
  readonly format?: Format | undefined;
  /** Cuts the part back to here and goes on; `{ bytes: 0, rows: 0 }` starts it anew. @default none */
  readonly resume?: OutputPosition | undefined;
  /** A lock file beside the path keeps other processes out; not needed where the folder is locked. @default true */
  readonly lock?: boolean | undefined;
}
