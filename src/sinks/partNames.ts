import { basename, join } from 'node:path';
import type { FileSystem } from './FileSystem.ts';

const ending = /(?:\.[a-z]+)?(?:\.(?:gz|zst))?$/i;

/** The file of that number: `rows-00002.jsonl.gz` for `rows.jsonl.gz`. */
export function partPath(path: string, count: number): string {
  return path.replace(ending, (tail) => `-${String(count).padStart(5, '0')}${tail}`);
}

export function manifestPath(path: string): string {
  return path.replace(ending, '.manifest.json');
}

/** The files of a set that are there, from a number on. */
export function partsFrom(path: string, first: number, folder: string, fileSystem: FileSystem): readonly string[] {
  const [head, tail] = partPath(basename(path), 0).split('00000') as [string, string];
  const isOne = (name: string): boolean => {
    const digits = name.slice(head.length, name.length - tail.length);
    return name.startsWith(head) && name.endsWith(tail) && /^\d{5,}$/.test(digits) && Number(digits) >= first;
  };
  return fileSystem
    .list(folder)
    .filter(isOne)
    .map((name) => join(folder, name));
}
