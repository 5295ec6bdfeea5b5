import { join } from 'node:path';
import { FlowError } from '../../errors/index.ts';
import type { FileSystem } from '../../sinks/index.ts';

/** Throws if there is a symlink at this path or in the folder there: it would lead a run to files outside of its own folder. */
export function refuseLinks(path: string, fileSystem: FileSystem): void {
  const there = fileSystem.stat(path, false);
  if (there?.kind === 'symlink')
    throw new FlowError(`${path} is a symlink. A run makes this itself, and follows no links there. Remove the link and run again`);
  if (there?.kind === 'folder') for (const name of fileSystem.list(path)) refuseLinks(join(path, name), fileSystem);
}
