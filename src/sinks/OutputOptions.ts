import type { Format } from './formats/fileFormats.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import type { OutputPosition } from './OutputFile.ts';
import type { TableOptions } from './TableOptions.ts';

export interface FileOptions {
  /** Replace an existing file, at the end and in one step. @default false: an existing file is an error */
  readonly overwrite?: boolean | undefined;
  /** Append rows to a copy of the existing file. The copy replaces it at the end. @default false */
  readonly append?: boolean | undefined;
  /** The folder that `path` must stay in, also through symlinks. `path` is then relative to it. @default none */
  readonly within?: string | undefined;
  /** Permissions of the file, before the process's umask. @default 0o666: the umask alone decides */
  readonly mode?: number | undefined;
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
  /** Cut the `.part` file back to this position and resume there. `{ bytes: 0, rows: 0 }` starts over. @default none */
  readonly resume?: OutputPosition | undefined;
  /** Keep other processes out with a lock file beside the path. Not needed if the folder is locked. @default true */
  readonly lock?: boolean | undefined;
}
