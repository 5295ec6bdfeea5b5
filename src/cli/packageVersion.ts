import { existsSync, readFileSync } from 'node:fs';

/** The package's version, from its package.json, however deep below it this was built. */
export function packageVersion(): string {
  for (let folder = new URL('.', import.meta.url); folder.pathname !== '/'; folder = new URL('..', folder)) {
    const file = new URL('package.json', folder);
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: string; readonly version?: string };
    if (name === 'trawler' && version !== undefined) return version;
  }
  return 'unknown';
}
