import type { FileSystem } from '../../src/sinks/index.ts';

export interface FailingDisk {
  readonly fileSystem: FileSystem;
  /** The operations so far: what was done, to which file. */
  readonly done: readonly string[];
}

/** A disk that counts its operations and calls `die` before number `failAt`, half-way into it where it is a write and `torn`. */
export function failingDisk(
  disk: FileSystem,
  how?: { readonly failAt?: number; readonly torn?: boolean; readonly die?: () => void },
): FailingDisk;
