import { existsSync, readFileSync } from 'node:fs';

/** The package's version, from its package.json. */
export function packageVersion(): string {
  return packageRoot()?.version ?? 'unknown';
}

/** The package's folder, however deep below it this was built. */
export function packageRoot(): { readonly folder: URL; readonly version: string } | undefined {
  const find = (folder: URL): ReturnType<typeof packageRoot> => {
    const file = new URL('package.json', folder);
    const manifest = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
    const { name, version } = JSON.parse(manifest) as { readonly name?: string; readonly version?: string };
    if (name === 'trawler' && version !== undefined) return { folder, version };
    const above = new URL('..', folder);
    return above.href === folder.href ? undefined : find(above);
  };
  return find(new URL('.', import.meta.url));
}
