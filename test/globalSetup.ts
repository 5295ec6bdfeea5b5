import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with the compiled package, for tests that start processes of their own. */
    dist: string;
  }
}

/** Compiles and bundles the package once into a folder from which its dependencies resolve. */
export default async function setup(project: TestProject): Promise<() => void> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const dist = `${root}node_modules/.trawler-test-${process.pid}`;
  // Types are checked by a command of their own.
  execFileSync(process.execPath, [
    `${root}node_modules/typescript/bin/tsc`,
    '-p',
    `${root}tsconfig.build.json`,
    '--noCheck',
    '--outDir',
    dist,
  ]);
  const { bundle } = (await import(`${root}scripts/bundle.mjs`)) as { readonly bundle: (dist: string) => Promise<void> };
  await bundle(dist);
  project.provide('dist', dist);
  return () => rmSync(dist, { recursive: true, force: true });
}
