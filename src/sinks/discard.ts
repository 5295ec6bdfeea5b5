import type { FileSystem } from './FileSystem.ts';
import { systemCode } from './sinkFault.ts';

/** Removes a name that is of no use any more, if it is there and can be removed; false when it stays. */
export function discard(path: string, fileSystem: FileSystem): boolean {
  try {
    fileSystem.unlink(path);
    return true;
  } catch (error) {
    return systemCode(error) === 'ENOENT';
  }
}
