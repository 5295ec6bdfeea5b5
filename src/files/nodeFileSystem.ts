import type { BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { type FileStat, type FileSystem, type OpenFile, systemCode } from './FileSystem.ts';
import { nodeProcess } from './nodeProcess.ts';

const {
  chmodSync,
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  read,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
} = process.getBuiltinModule('node:fs');
const { promisify } = process.getBuiltinModule('node:util');

/** The descriptor of a closed file. No open file has this number. */
const closed = 2 ** 31 - 1;

const writeAsync = promisify(write);
const readAsync = promisify(read);
const datasyncAsync = promisify(fdatasync);
const syncAsync = promisify(fsync);

/** The machine's own disk. */
export const nodeFileSystem: FileSystem = {
  process: nodeProcess,
  open: (path, flags, mode) => openFile(openSync(path, { r: 'r', 'r+': 'r+', wx: 'wx+', a: 'a+' }[flags], mode), flags === 'a'),
  stat(path, follow = true) {
    const stat = statOf(path, follow);
    if (stat === undefined) return undefined;
    const kind: FileStat['kind'] = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'symlink' : 'other';
    return { kind, size: Number(stat.size), id: `${stat.dev}:${stat.ino}` };
  },
  list: (folder) => readdirSync(folder),
  makeFolder,
  removeFolder: rmdirSync,
  realPath: (path) => realpathSync(path),
  link: linkSync,
  rename: (from, to) => renamePatiently(from, to, { platform: process.platform, rename: renameSync }),
  unlink: unlinkSync,
  async build(path, mode, make) {
    // a database that was killed leaves these files beside its own
    for (const beside of ['.wal', '-journal', '-wal', '.lock']) rmSync(`${path}${beside}`, { recursive: true, force: true });
    await make(path);
    chmodSync(path, mode & ~process.umask());
  },
  syncFolder: (folder) =>
    syncFolder(folder, { platform: process.platform, open: (path) => openSync(path, 'r'), sync: syncAsync, close: closeSync }),
};

/** undefined also for a path below a file. There Node 20, and every `lstatSync`, throws ENOTDIR. */
function statOf(path: string, follow: boolean): BigIntStats | undefined {
  try {
    return (follow ? statSync : lstatSync)(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Makes a folder and its parents. Not with `recursive: true`, which never returns in places such as /proc. */
function makeFolder(path: string): string | undefined {
  try {
    mkdirSync(path);
    return path;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
  }
  const first = makeFolder(dirname(path));
  mkdirSync(path);
  return first ?? path;
}

function openFile(descriptor: number, appends: boolean): OpenFile {
  let fd = descriptor;
  const at = (position: number): number | null => (appends ? null : position);
  return {
    write: async (bytes, offset, length, position) => (await writeAsync(fd, bytes, offset, length, at(position))).bytesWritten,
    writeSync: (bytes, offset, length, position) => writeSync(fd, bytes, offset, length, at(position)),
    read: async (bytes, offset, length, position) => (await readAsync(fd, bytes, offset, length, position)).bytesRead,
    readSync: (bytes, offset, length, position) => readSync(fd, bytes, offset, length, position),
    size: () => fstatSync(fd).size,
    datasync: () => datasyncAsync(fd),
    datasyncSync: () => fdatasyncSync(fd),
    truncate: (length) => ftruncateSync(fd, length),
    close() {
      if (fd === closed) return;
      const last = fd;
      fd = closed; // the system reuses the number for the next file
      closeSync(last);
    },
  };
}

/** The errors of a rename on Windows while another program, such as a virus scanner or a spreadsheet, has one of the files open. */
const busy = ['EBUSY', 'EPERM', 'EACCES'];
const pausesMs = [10, 20, 40, 80, 160, 320];

interface RenameOptions {
  readonly platform: string;
  readonly rename: (from: string, to: string) => void;
  /** @default waits */
  readonly pause?: (ms: number) => void;
}

/** Renames a file. On Windows another program may have it open for a moment, so this retries for about half a second. */
export function renamePatiently(from: string, to: string, { platform, rename, pause = waitMs }: RenameOptions): void {
  for (const pauseMs of platform === 'win32' ? pausesMs : []) {
    try {
      return rename(from, to);
    } catch (error) {
      if (!busy.includes(systemCode(error) ?? '')) throw error;
      pause(pauseMs);
    }
  }
  rename(from, to);
}

/** Blocks the process. A rename is synchronous, so nothing else may happen while it waits. */
function waitMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The errors of file systems that can't sync a folder, such as some network drives. They keep names in order themselves. */
const cantSync = ['EINVAL', 'ENOTSUP', 'ENOSYS'];

interface SyncFolderOptions {
  readonly platform: string;
  readonly open: (folder: string) => number;
  readonly sync: (file: number) => Promise<void>;
  readonly close: (file: number) => void;
}

/** Makes the names in a folder safe from a power cut, where the system can. */
export async function syncFolder(folder: string, { platform, open, sync, close }: SyncFolderOptions): Promise<void> {
  if (platform === 'win32') return; // folders can't be opened there
  const file = open(folder);
  try {
    await sync(file);
  } catch (error) {
    if (!cantSync.includes(systemCode(error) ?? '')) throw error;
  } finally {
    close(file);
  }
}
