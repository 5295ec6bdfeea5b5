import type { FileSystem, OpenFile } from './FileSystem.ts';
import type { HeldLock } from './takeLock.ts';

/**
 * The same disk, but before each change it checks that this process still holds the lock. So a process that was paused writes nothing
 * into the files of the process that has taken over.
 */
export function lockedFileSystem(fileSystem: FileSystem, { check }: Pick<HeldLock, 'check'>): FileSystem {
  const checked =
    <Args extends readonly unknown[], Result>(change: (...args: Args) => Result) =>
    (...args: Args): Result => {
      check();
      return change(...args);
    };
  return {
    process: fileSystem.process,
    open(path, flags, mode) {
      if (flags === 'r') return fileSystem.open(path, flags, mode);
      check();
      return lockedFile(fileSystem.open(path, flags, mode), check);
    },
    stat: (path, follow) => fileSystem.stat(path, follow),
    list: (folder) => fileSystem.list(folder),
    realPath: (path) => fileSystem.realPath(path),
    makeFolder: checked((path) => fileSystem.makeFolder(path)),
    removeFolder: checked((path) => fileSystem.removeFolder(path)),
    link: checked((existing, path) => fileSystem.link(existing, path)),
    rename: checked((from, to) => fileSystem.rename(from, to)),
    unlink: checked((path) => fileSystem.unlink(path)),
    build: checked((path, mode, make) => fileSystem.build(path, mode, make)),
    syncFolder: (folder) => fileSystem.syncFolder(folder),
  };
}

function lockedFile(file: OpenFile, check: () => void): OpenFile {
  return {
    async write(bytes, offset, length, position) {
      check();
      return file.write(bytes, offset, length, position);
    },
    writeSync(bytes, offset, length, position) {
      check();
      return file.writeSync(bytes, offset, length, position);
    },
    truncate(length) {
      check();
      file.truncate(length);
    },
    read: (bytes, offset, length, position) => file.read(bytes, offset, length, position),
    readSync: (bytes, offset, length, position) => file.readSync(bytes, offset, length, position),
    size: () => file.size(),
    datasync: () => file.datasync(),
    datasyncSync: () => file.datasyncSync(),
    close: () => file.close(),
  };
}
