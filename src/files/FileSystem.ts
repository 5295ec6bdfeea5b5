import { SinkError } from '../errors/index.ts';
import { messageOf } from '../errors/TrawlerError.ts';

/**
 * The operations that trawler needs from a disk. Names are read and changed synchronously, because that is fast and rare. Bytes are
 * read and written asynchronously. A failure throws or rejects with an error that has the system's `code`.
 */
export interface FileSystem {
  /** The process that uses the disk. Locks and the names of drafts tell processes apart by it. */
  readonly process: HostProcess;
  /**
   * `r`: read. `r+`: read and write an existing file. `wx`: make a new one, EEXIST if the name is taken. `a`: read, and append
   * wherever the end is, whatever position a write names. Makes the file if there is none.
   */
  open(path: string, flags: 'r' | 'r+' | 'wx' | 'a', mode?: number): OpenFile;
  /** What is at `path`. undefined if nothing is there. `follow`: false describes a symlink itself. @default true */
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
   * Lets a library that opens files by itself make the file at `path`, which doesn't exist yet. `make` gets the path to use. When
   * `build` resolves, the file is complete, but not yet safe from a power cut.
   */
  build(path: string, mode: number, make: (path: string) => Promise<void>): Promise<void>;
  /** Makes the names in a folder safe from a power cut, which may undo any change of them before. Does nothing if that isn't possible. */
  syncFolder(folder: string): Promise<void>;
}

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  readonly size: number;
  /** Two names of one file have the same id. */
  readonly id: string;
}

/** An open file. Every call names its position, so the order of calls doesn't matter. */
export interface OpenFile {
  /** Returns the number of bytes written, which may be fewer than requested. */
  write(bytes: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  writeSync(bytes: Uint8Array, offset: number, length: number, position: number): number;
  /** Returns the number of bytes read. 0 at the end. */
  read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  readSync(bytes: Uint8Array, offset: number, length: number, position: number): number;
  size(): number;
  /**
   * Makes all writes safe from a power cut, which may undo or tear any of them before. If it fails, the content of the file is unknown.
   */
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

/** Tries something that isn't needed. An error of the system is ignored. */
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

/** The process that uses a disk, and what it can see of others. A lock stores these fields to name its holder. */
export interface HostProcess {
  readonly host: string;
  readonly pid: number;
  /** When it started. Tells it from a later process with the same pid. undefined if the system can't say. */
  readonly start: string | undefined;
  /** An id of the machine's last boot. */
  readonly boot: string | undefined;
  /** The namespace of process ids. It differs between two containers on one machine. */
  readonly space: string | undefined;
  /** Whether a process runs on this machine. With `start`, it must be the one that started then. */
  isRunning(pid: number, start?: string): boolean;
  /** The machine's clock, in milliseconds since 1970. */
  now(): number;
  /** Calls `run` after `ms`. Returns a cancel function. `idle`: the timer alone doesn't keep the process alive. */
  after(this: void, ms: number, run: () => void, idle?: 'idle'): () => void;
  /** Returns a new number at each call, for names that this process uses once. */
  unique(): number;
}
