import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The folder of the compiled package that a run of tests uses. Its dependencies resolve from there. */
export const testedPackage = join(root, '.tested', String(process.pid));

/**
 * A plugin with which tests import compiled files where they name sources: Node loads them once in each process, as they are,
 * and they run as fast as what is published.
 */
export const importsCompiled = {
  name: 'trawler-compiled',
  enforce: 'pre' as const,
  resolveId(id: string, importer: string | undefined): string | null {
    if (importer === undefined || !id.endsWith('.ts') || !(id.startsWith('.') || isAbsolute(id))) return null;
    const path = relative(root, resolve(dirname(importer), id)).replaceAll('\\', '/');
    return /^(src(?!\/show\/page)|operators)\//.test(path) ? join(testedPackage, path.replace(/\.ts$/, '.js')) : null;
  },
};
