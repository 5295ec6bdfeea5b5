import type { HostProcess } from './HostProcess.ts';

/**
 * The operations that trawler needs from a disk. Names are read and changed synchronously, which is short and rare. Bytes
 * move asynchronously. A failure throws, or rejects with, an error that carries the system's `code`.
 */
export interface FileSystem {
  /** Who uses the disk. Locks and the names of drafts tell processes apart by it. */
  readonly process: HostProcess;
  /** `r`: read. `r+`: read and write an existing file. `wx`: make a new one, EEXIST if the name is taken. */
  open(path: string, flags: 'r' | 'r+' | 'wx', mode?: number): OpenFile;
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
