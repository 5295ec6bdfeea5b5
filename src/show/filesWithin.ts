import type { FileSystem } from '../files/FileSystem.ts';
import { leadsInto } from '../files/resolvePath.ts';
import { nodeFileSystem } from '../sinks/index.ts';

/**
 * The part of the disk that a page may read: regular files and folders that are really inside of `folders`. For it, nothing else exists.
 * So no link leads out, and nothing is opened that would block, such as a named pipe.
 */
export function filesWithin(folders: readonly string[], disk: FileSystem = nodeFileSystem): FileSystem {
  const isAllowed = (path: string): boolean => folders.some((folder) => leadsInto(path, folder, disk));
  const stat: FileSystem['stat'] = (path, follow) => {
    const found = disk.stat(path, follow);
    return (found?.kind === 'file' || found?.kind === 'folder') && isAllowed(path) ? found : undefined;
  };
  return {
    ...disk,
    stat,
    open(path, flags) {
      if (!isAllowed(path)) throw refused(`${path} is outside of the run's folder: allow it by name (--allow-read ${path})`);
      const kind = disk.stat(path)?.kind ?? 'file';
      if (flags !== 'r' || kind !== 'file') throw refused(`${path} is no regular file`);
      return disk.open(path, flags);
    },
  };
}

function refused(message: string): Error {
  return Object.assign(new Error(message), { code: 'EACCES' });
}
