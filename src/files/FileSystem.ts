import { SinkError } from '../errors/index.ts';
import { messageOf } from '../errors/TrawlerError.ts';

/**
 * The operations that trawler needs from a disk. Names are read and changed synchronously, which is short and rare. Bytes
 * move asynchronously. A failure throws, or rejects with, an error that carries the system's `code`.
 */
export interface FileSystem {
  /** Who uses the disk. Locks and the names of drafts tell processes apart by it. */
  readonly process: HostProcess;
  /**
   * `r`: read. `r+`: read and write an existing file. `wx`: make a new one, EEXIST if the name is taken. `a`: read, and append
   * wherever the end is, whatever position a write names. Makes the file if there is none.
   */
  open(path: string, flags: 'r' | 'r+' | 'wx' | 'a', mode?: number): OpenFile;
  /** What is at `path`. Symlinks are followed, unless you want the link itself. undefined if nothing is there. */
  stat(path: string, follow?: boolean): FileStat | undefined;
  /** The names in a folder. */
  list(folder: string): string[];
  /** Makes the folder and its missing parents. Returns the topmost new folder, undefined if all existed. */
  makeFolder(path: string): string | undefined;
  /** Removes an empty folder. */
  removeFolder(path: string): void;
  realPath(path: string): string;
  /** Makes a hard link. EEXIST if the name is taken, so nothing is ever replaced. */
  link(existing: string, path: string): void;
  /** Replaces what is at `to`. */
  rename(from: string, to: string): void;
  unlink(path: string): void;
  /**
   * Lets a library that opens files by itself make the file at `path`, which doesn't exist. `make` gets the path to use.
   * When its promise resolves, the file is complete but not yet safe from a power cut.
   */
  build(path: string, mode: number, make: (path: string) => Promise<void>): Promise<void>;
  /** Until then a power cut may undo any change of names in this folder. Does nothing on a system that can't sync folders. */
  syncFolder(folder: string): Promise<void>;
}

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  readonly size: number;
  /** The same for two names of one file. */
  readonly id: string;
}

/** An open file. Positions are explicit, so the order of calls doesn't matter. */
export interface OpenFile {
  /** Returns the number of bytes written, which may be fewer than requested. */
  write(bytes: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  writeSync(bytes: Uint8Array, offset: number, length: number, position: number): number;
  /** Returns the number of bytes read. 0 at the end. */
  read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  readSync(bytes: Uint8Array, offset: number, length: number, position: number): number;
  size(): number;
  /** Until then a power cut may undo any write, in any order, and tear them. Once it failed the file can't be trusted. */
  datasync(): Promise<void>;
  datasyncSync(): void;
  truncate(length: number): void;
  close(): void;
}

const meanings: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file system allows no file of that size',
  EIO: 'the disk reports a fault',
  EACCES: 'permission is denied',
  EPERM: 'the file system does not permit it, or another program has it open',
  EBUSY: 'another program has it open',
  EROFS: 'the file system is read-only',
  EISDIR: 'there is a folder',
  ENOTDIR: 'something on the way is not a folder',
  ENOENT: 'something on the way is missing',
  EEXIST: 'the name is taken',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  ELOOP: 'symlinks go round in a circle',
};

/** The system's code of an error, such as `ENOSPC`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Does what nothing depends on: the system may refuse it. */
export function tryOnDisk(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

/** Wraps a failure at `path` in a SinkError. A SinkError stays as it is. */
export function sinkFailure(path: string, doing: string, cause: unknown): SinkError {
  if (cause instanceof SinkError) return cause;
  const code = systemCode(cause);
  const why = code === undefined ? messageOf(cause) : `${meanings[code] ?? 'the system says no'} (${code})`;
  return new SinkError(`${path}: ${doing} failed: ${why}`, { cause });
}

/** The process that uses a disk, and what it can see of others. A lock names its holder by it. */
export interface HostProcess {
  readonly host: string;
  readonly pid: number;
  /** Tells it from a later process with the same number. undefined if the system can't say. */
  readonly start: string | undefined;
  /** The boot of the machine that it runs in. */
  readonly boot: string | undefined;
  /** The namespace of process ids. It differs between two containers on one machine. */
  readonly space: string | undefined;
  /** Whether a process of this machine runs. With `start`, only the one that started then counts. */
  isRunning(pid: number, start?: string): boolean;
  /** The machine's clock, in milliseconds since 1970. */
  now(): number;
  /** Calls `run` after `ms`. Returns a cancel function. `idle`: the timer alone doesn't keep the process alive. */
  after(this: void, ms: number, run: () => void, idle?: 'idle'): () => void;
  /** A number that it gives once: no two names of this process are alike. */
  unique(): number;
}
