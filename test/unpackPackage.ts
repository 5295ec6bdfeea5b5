import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './testedPackage.ts';

const { npm } = (await import(join(root, 'scripts/npm.mjs'))) as { readonly npm: (...args: readonly string[]) => [string, string[]] };

/**
 * Puts into a folder what is published, as it was built. Only TRAWLER_LONG packs and unpacks it: that takes npm four seconds of CPU. Else
 * the same files are copied, but for declarations.
 */
export async function unpackPackage(installed: string): Promise<void> {
  if (!existsSync(join(root, 'dist/bundle/index.js')))
    throw new Error('the package is installed as it was built: run `npm run build` first');
  await mkdir(dirname(installed), { recursive: true });
  await (process.env['TRAWLER_LONG'] === '1' ? unpackTarball : copyFiles)(installed);
  await chmod(join(installed, 'dist/bundle/cli.js'), 0o755);
}

async function unpackTarball(installed: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-pack-'));
  const argv = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync(...npm(...argv), { cwd: root, encoding: 'utf8' })) as [{ readonly filename: string }];
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', dirname(installed)]);
  await rename(join(dirname(installed), 'package'), installed);
  await rm(folder, { recursive: true });
}

async function copyFiles(installed: string): Promise<void> {
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly files: readonly string[] };
  for (const file of ['package.json', ...files.filter((name) => !/[*!]/.test(name))])
    await cp(join(root, file), join(installed, file), { recursive: true });
  for (const file of files) if (file.startsWith('!')) await rm(join(installed, file.slice(1)), { recursive: true });
}
