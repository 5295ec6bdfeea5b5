import { existsSync, readFileSync } from 'node:fs';

/** The package's version, from its package.json. */
export function packageVersion(): string {
  return packageRoot()?.version ?? 'unknown';
}

/** The package's folder, however deep below it this was built. */
export function packageRoot(): { readonly folder: URL; readonly version: string } | undefined {
  for (let folder = new URL('.', import.meta.url); folder.pathname !== '/'; folder = new URL('..', folder)) {
    const file = new URL('package.json', folder);
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: string; readonly version?: string };
    if (name === 'trawler' && version !== undefined) return { folder, version };
  }
  return undefined;
}
