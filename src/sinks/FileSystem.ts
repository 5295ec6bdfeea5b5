/**
 * All that is asked of a disk. Names are looked at and changed synchronously, which is short and happens rarely; bytes
 * move asynchronously. Whatever fails throws, or rejects with, an error that carries the system's `code`.
 */
export interface FileSystem {
  /** `r`: read; `r+`: read and write what is there; `wx`: make it, EEXIST when the name is taken. */
  open(path: string, flags: 'r' | 'r+' | 'wx', mode?: number): OpenFile;
  /** What is at `path`, symlinks followed unless asked for; undefined when nothing is. */
  stat(path: string, follow?: boolean): FileStat | undefined;
  /** The names in a folder. */
  list(folder: string): string[];
  /** Makes the folder and what is missing above it; the topmost folder that was made, undefined when all was there. */
  makeFolder(path: string): string | undefined;
  realPath(path: string): string;
  /** A second name for a file: EEXIST when it is taken, so nothing is ever replaced. */
  link(existing: string, path: string): void;
  /** Replaces what is at `to`. */
  rename(from: string, to: string): void;
  unlink(path: string): void;
  /**
   * Lets a library that opens files by itself make the one at `path`, which isn't there: `make` gets the path to use, and
   * the file is whole, though not yet safe from a power cut, when its promise resolves.
   */
  build(path: string, mode: number, make: (path: string) => Promise<void>): Promise<void>;
  /** Until then a power cut may undo any change of names in this folder. */
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
  /** Gives the number of bytes written, which may be fewer than asked. */
  write(bytes: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  writeSync(bytes: Uint8Array, offset: number, length: number, position: number): number;
  /** Gives the number of bytes read; 0 at the end. */
  read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  readSync(bytes: Uint8Array, offset: number, length: number, position: number): number;
  size(): number;
  /** Until then a power cut may undo any write, in any order, and tear them. Once it failed the file can't be trusted. */
  datasync(): Promise<void>;
  truncate(length: number): void;
  close(): void;
}
