import type { Hash } from 'node:crypto';
import { sha256, eachBlock, readUpTo, writeAllSync } from '../files/blocks.ts';
import { dirname } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { fileKindOf, fileFormats } from './formats/fileFormats.ts';
import { type FileSystem, type OpenFile, sinkFailure } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { makeFolders, discard, publish } from '../files/publish.ts';
import type { OutputPosition } from './OutputFile.ts';
import type { OutputOptions } from './OutputOptions.ts';
import type { OutputTarget } from './RowOutput.ts';
import { resolvePath } from '../files/resolvePath.ts';
import { lockedFileSystem } from '../files/lockedFileSystem.ts';
import { takeLock, type HeldLock } from '../files/takeLock.ts';

/** Permissions before the umask, which alone decides, as in other programs. */
const usualMode = 0o666;

/** A reserved path: checked, locked, with its `.part` file open. */
interface Reservation extends OutputTarget {
  readonly target: string;
  readonly file: OpenFile;
  readonly fileSystem: FileSystem;
  /** Whether the target may be replaced. */
  readonly replace: boolean;
  /** An earlier run already gave the file its name. */
  readonly published: boolean;
}

/** Checks everything possible before the first row, takes the lock and opens `<path>.part`. */
export function reservePath(path: string, options: OutputOptions): Reservation {
  let fileSystem = options.fileSystem ?? nodeFileSystem;
  let lock: HeldLock | undefined;
  let found: Found | undefined;
  try {
    const target = resolvePath(path, options.within, fileSystem);
    const part = `${target}.part`;
    const replace = options.overwrite === true || options.append === true;
    checkTarget(path, target, options, fileSystem);
    const folder = dirname(target);
    const folders = [folder, ...makeFolders(folder, fileSystem)];
    if (options.lock !== false) {
      lock = takeLock(`${target}.lock`, fileSystem);
      fileSystem = lockedFileSystem(fileSystem, lock);
    }
    checkTarget(path, target, options, fileSystem); // check again: the previous lock holder may have made it
    found = findPart(path, target, part, options, fileSystem);
    if (lock?.takenOver === true && !found.isNew && !found.published)
      found = { ...found, file: inNewFile(found, options.mode, fileSystem) };
    const { file, isNew, published } = found;
    const hash = sha256();
    const from = published ? { ...options.resume!, bytes: file.size() } : options.resume;
    const start = isNew ? begin(target, file, hash, options, fileSystem) : resumeFrom(path, file, hash, from!);
    const disk = fileSystem;
    return {
      target,
      part,
      file,
      fileSystem,
      start,
      hash,
      replace,
      published,
      head: (size) => readUpTo(file, 0, Math.min(size, start.bytes)),
      async syncName() {
        // without its name, a power cut would take the whole file
        for (const folder of folders) await disk.syncFolder(folder);
      },
      async publish() {
        if (published) await disk.syncFolder(dirname(target));
        else if (await publish(part, target, replace, disk)) discard(part, disk);
      },
      leave: (rows) => !published && !(rows === 0 && isNew ? discard(part, disk) : disk.stat(part, false) === undefined),
      release: () => lock?.release(),
    };
  } catch (error) {
    found?.file.close();
    if (found?.isNew) discard(found.part, fileSystem);
    lock?.release();
    throw sinkFailure(path, 'opening', error);
  }
}

function checkTarget(path: string, target: string, options: OutputOptions, fileSystem: FileSystem): void {
  const there = fileSystem.stat(target);
  if (there === undefined) return;
  if (there.kind === 'folder') throw new SinkError(`${path}: there is a folder of that name`);
  if (there.kind !== 'file') throw new SinkError(`${path}: what is there isn't a plain file`);
  if (options.resume !== undefined || options.overwrite || options.append) return;
  throw new SinkError(`${path} is there already; choose another path, or say overwrite: true, or append: true`);
}

interface Found {
  readonly part: string;
  readonly file: OpenFile;
  readonly isNew: boolean;
  readonly published: boolean;
}

function findPart(path: string, target: string, part: string, options: OutputOptions, fileSystem: FileSystem): Found {
  const { resume } = options;
  let there = fileSystem.stat(part, false);
  if (there !== undefined && there.kind !== 'file') throw new SinkError(`${part}: what is there isn't a plain file`);
  if (there !== undefined && there.id === fileSystem.stat(target)?.id && there.size !== resume?.bytes) {
    fileSystem.unlink(part); // a hard link to the finished file, which must not be cut
    there = undefined;
  }
  if (resume !== undefined && there !== undefined) return { part, file: fileSystem.open(part, 'r+'), isNew: false, published: false };
  const finished = resume === undefined ? undefined : fileSystem.stat(target);
  if (resume !== undefined && finished !== undefined && (finished.size === resume.bytes || isAssembled(options))) {
    return { part, file: fileSystem.open(target, 'r'), isNew: false, published: true };
  }
  if (resume !== undefined && resume.bytes > 0) throw new SinkError(`${path}: neither ${part} nor the finished file is there to resume`);
  if (there !== undefined) fileSystem.unlink(part); // left by a run that ended: we hold the lock
  return { part, file: fileSystem.open(part, 'wx', options.mode ?? usualMode), isNew: true, published: false };
}

/** Whether the file at the path was built from the rows, and so differs from them in size. */
function isAssembled({ format }: OutputOptions): boolean {
  return format !== undefined && !fileFormats[format].text;
}

/** Fills a new `.part` file: with `append` with a copy of the existing file, else with nothing. */
function begin(target: string, file: OpenFile, hash: Hash, options: OutputOptions, fileSystem: FileSystem): OutputPosition {
  if (options.append !== true || fileSystem.stat(target) === undefined) return { bytes: 0, rows: 0 };
  const from = fileSystem.open(target, 'r');
  try {
    const size = from.size();
    let last = 0x0a;
    copy(from, file, (bytes) => {
      hash.update(bytes);
      last = bytes[bytes.length - 1]!;
    });
    if (last === 0x0a || fileKindOf(target)?.compression !== undefined) return { bytes: size, rows: 0 };
    const lineFeed = Buffer.from('\n');
    writeAllSync(file, lineFeed, size);
    hash.update(lineFeed);
    return { bytes: size + 1, rows: 0 };
  } finally {
    from.close();
  }
}

/** Replaces the `.part` file by a copy, because the process that made it may wake up and still write to the old one. */
function inNewFile({ part, file }: Found, mode: number | undefined, fileSystem: FileSystem): OpenFile {
  const draft = `${part}.new`;
  discard(draft, fileSystem);
  const renewed = fileSystem.open(draft, 'wx', mode ?? usualMode);
  try {
    copy(file, renewed);
    renewed.datasyncSync();
    fileSystem.rename(draft, part);
    return renewed;
  } catch (error) {
    renewed.close();
    throw error;
  } finally {
    file.close();
  }
}

/** Cuts the `.part` file of an earlier run back to the position where it resumes, and hashes what stays. */
function resumeFrom(path: string, file: OpenFile, hash: Hash, { bytes, rows }: OutputPosition): OutputPosition {
  const size = file.size();
  if (size < bytes) throw new SinkError(`${path}: the part has ${size} bytes where ${bytes} are recorded; it can't be resumed`);
  if (size > bytes) file.truncate(bytes);
  eachBlock(file, bytes, (block) => void hash.update(block));
  return { bytes, rows };
}

function copy(from: OpenFile, to: OpenFile, seen?: (bytes: Uint8Array) => void): void {
  eachBlock(from, from.size(), (bytes, at) => {
    writeAllSync(to, bytes, at);
    seen?.(bytes);
  });
}
