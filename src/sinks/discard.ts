import type { FileSystem } from './FileSystem.ts';

/** Removes a name that is of no use any more, if it is there and can be removed; false when it stays. */
export function discard(path: string, fileSystem: FileSystem): boolean {
  try {
    fileSystem.unlink(path);
    return true;
  } catch {
    return fileSystem.stat(path, false) === undefined;
  }
}
