import { dirname } from 'node:path';
import type { FileSystem } from './FileSystem.ts';

/** Makes a folder and those above it. Returns the folders with new names, the innermost first: sync them to make the names safe. */
export function makeFolders(folder: string, fileSystem: FileSystem): string[] {
  const first = fileSystem.makeFolder(folder);
  const changed: string[] = [];
  for (let made = folder; first !== undefined && made !== dirname(made); made = dirname(made)) {
    changed.push(dirname(made));
    if (made === first) break;
  }
  return changed;
}
