import type { FileSystem } from '../files/FileSystem.ts';
import type { StoreFolder } from './StoreFolder.ts';

/** Something that all stores of this process share if they are on the same folder. Returns the function that gives it. */
export function perFolder<T>(make: () => T): (files: StoreFolder) => T {
  const all = new WeakMap<FileSystem, Map<string, T>>();
  return ({ path, fileSystem }) => {
    const folders = all.get(fileSystem) ?? new Map<string, T>();
    all.set(fileSystem, folders);
    if (!folders.has(path)) folders.set(path, make());
    return folders.get(path)!;
  };
}
