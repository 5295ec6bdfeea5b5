import { dirname } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { writeAll } from './blocks.ts';
import { type FileSystem, sinkFailure, systemCode } from './FileSystem.ts';

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EINVAL']);

/**
 * Gives a finished and synced `.part` file its name in one step, and waits until the name is safe from a power cut. Another file of
 * that name is replaced only with `replace`. It can be repeated after a crash half-way. Returns true if the file still has its old
 * name too: remove that name now. If it were removed earlier, a power cut could leave neither name.
 */
export async function publish(part: string, target: string, replace: boolean, fileSystem: FileSystem): Promise<boolean> {
  try {
    const both = !replace && linked(part, target, fileSystem);
    if (!both) fileSystem.rename(part, target);
    try {
      await fileSystem.syncFolder(dirname(target));
    } catch (error) {
      if (both) fileSystem.unlink(target); // after a failure nothing is left at the path
      throw error;
    }
    return both;
  } catch (error) {
    throw sinkFailure(target, 'giving the file its name', error);
  }
}

/** Makes a hard link at `target`. false if the file system has no hard links. Throws if the name is taken. */
function linked(part: string, target: string, fileSystem: FileSystem): boolean {
  try {
    fileSystem.link(part, target);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST' && fileSystem.stat(part)?.id === fileSystem.stat(target)?.id) return true;
    if (code === 'EEXIST' || (withoutLinks.has(code) && fileSystem.stat(target, false) !== undefined)) throw taken(target, error);
    if (withoutLinks.has(code)) return false; // only another program could take the name before the rename: we hold the lock
    throw error;
  }
}

function taken(target: string, cause: unknown): SinkError {
  return new SinkError(`${target}: another process made a file of that name in the meantime`, { cause });
}

/**
 * Writes or replaces a file in one step: nobody ever reads a half-written one. It is safe from a power cut when this resolves. After a
 * failure the file is as it was.
 * @default draft: the path with `.new` at its end
 */
export async function replaceFile(
  path: string,
  content: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>,
  mode: number,
  fileSystem: FileSystem,
  draft: string = `${path}.new`,
): Promise<void> {
  discard(draft, fileSystem); // of a process that was killed
  try {
    const file = fileSystem.open(draft, 'wx', mode);
    try {
      let at = 0;
      for await (const part of content) {
        const bytes = typeof part === 'string' ? Buffer.from(part) : part;
        await writeAll(file, bytes, at);
        at += bytes.length;
      }
      await file.datasync();
    } finally {
      file.close();
    }
    await makeSafely(dirname(path), fileSystem);
    fileSystem.rename(draft, path);
    await fileSystem.syncFolder(dirname(path));
  } catch (error) {
    discard(draft, fileSystem);
    throw error;
  }
}

/** Removes a file if it exists. Never throws. false if it can't be removed. */
export function discard(path: string, fileSystem: FileSystem): boolean {
  try {
    fileSystem.unlink(path);
    return true;
  } catch (error) {
    return systemCode(error) === 'ENOENT';
  }
}

/** Makes a folder and those above it. Returns the folders in which names were added, the innermost first. Sync these to make them safe. */
export function makeFolders(folder: string, fileSystem: FileSystem): string[] {
  const first = fileSystem.makeFolder(folder);
  const changed: string[] = [];
  for (let made = folder; first !== undefined && made !== dirname(made); made = dirname(made)) {
    changed.push(dirname(made));
    if (made === first) break;
  }
  return changed;
}

/** Makes a folder and those above it, and waits until their names are safe from a power cut. */
export async function makeSafely(folder: string, fileSystem: FileSystem): Promise<void> {
  for (const changed of makeFolders(folder, fileSystem)) await fileSystem.syncFolder(changed);
}
