import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { linkFiles } from './linkFiles.ts';
import { root, testedPackage } from './testedPackage.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with the compiled package, for tests that start processes of their own. */
    dist: string;
  }
}

/** Takes what `npm run build` made, or builds the package if something has changed since. */
export default function setup(project: TestProject): () => void {
  if (isBuilt()) linkFiles(join(root, 'dist'), testedPackage);
  else execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), testedPackage], { stdio: 'inherit' });
  project.provide('dist', testedPackage);
  return () => rmSync(testedPackage, { recursive: true, force: true });
}

function isBuilt(): boolean {
  const last = join(root, 'dist/bundle/page/page.css'); // nothing is made later
  if (!existsSync(last)) return false;
  const files = readdirSync(root).filter((name) => name.endsWith('.json'));
  const within = ['src', 'operators', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const { mtimeMs } = statSync(last);
  return [...files, ...within].every((name) => statSync(join(root, name)).mtimeMs < mtimeMs);
}
