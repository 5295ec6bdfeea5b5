import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { SinkError } from '../errors/index.ts';
import type { FileSystem } from './FileSystem.ts';

/**
 * The real path of a file. With `within`, the path must be relative, and must not leave that folder by `..` or by a symlink. A symlink
 * at the path itself is followed. Nothing is made.
 */
export function resolvePath(path: string, within: string | undefined, fileSystem: FileSystem): string {
  if (path.includes('\0')) throw new SinkError(`${JSON.stringify(path)}: a path can't contain a NUL character`);
  if (/[/\\]$/.test(path)) throw new SinkError(`${path}: that names a folder; give the file's name`);
  if (within === undefined) return followed(resolve(path), fileSystem);
  const refuse = (why: string): never => {
    throw new SinkError(`${path}: ${why}; the file has to stay in ${within}`);
  };
  if (isAbsolute(path)) refuse('the path is absolute');
  if (path.split(/[/\\]/).includes('..')) refuse("the path leaves the folder with '..'");
  const root = realPathOf(resolve(within), fileSystem);
  const target = followed(join(root, path), fileSystem);
  if (!leadsInto(dirname(target), root, fileSystem)) refuse('a symlink leads out');
  return target;
}

/** Whether a path leads into a folder, or to the folder itself, when links are followed. It may not exist yet. */
export function leadsInto(path: string, folder: string, fileSystem: FileSystem): boolean {
  const way = relative(realPathOf(resolve(folder), fileSystem), realPathOf(resolve(path), fileSystem));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path of a file or a folder. Its last parts may not exist yet. */
export function realPathOf(folder: string, fileSystem: FileSystem): string {
  if (fileSystem.stat(folder) !== undefined) return fileSystem.realPath(folder);
  const above = dirname(folder);
  return above === folder ? folder : join(realPathOf(above, fileSystem), relative(above, folder));
}

function followed(path: string, fileSystem: FileSystem): string {
  if (fileSystem.stat(path, false)?.kind !== 'symlink') return path;
  if (fileSystem.stat(path) === undefined) throw new SinkError(`${path}: a symlink that leads nowhere`);
  return fileSystem.realPath(path);
}

const device = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i;

/** Why a file or a folder can't have this name on every system, as the end of a sentence. undefined if it can. */
export function portableFault(name: string): string | undefined {
  if (device.test(name)) return `'${name.split('.')[0]}' is a device on Windows`;
  if (/[. ]$/.test(name) && name !== '.' && name !== '..') return 'Windows drops a dot or a blank at the end of a name';
  const wrong = Array.from(name).find((char) => char < ' ' || '<>:"|?*'.includes(char));
  return wrong === undefined ? undefined : `no name has ${JSON.stringify(wrong)} on Windows`;
}
