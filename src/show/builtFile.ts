import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFileSystem } from '../sinks/index.ts';

/** The folders, below a folder above this file, that the build puts files into: in the published package, in a build, and in a clone. */
const folders = ['.', 'bundle', 'dist/bundle'];

/** The path of a built file that isn't imported, such as the script of the page. */
export function builtFile(name: string): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const found = folders.map((one) => join(folder, one, name)).find((path) => nodeFileSystem.stat(path) !== undefined);
    if (found !== undefined) return found;
    if (folder === dirname(folder)) throw new Error(`${name} was not built: run npm run build`);
  }
}
