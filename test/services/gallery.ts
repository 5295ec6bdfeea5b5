import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';

const folder = fileURLToPath(new URL('../../examples/services', import.meta.url));

/** The described services, by name. */
export const gallery: readonly string[] = (await readdir(folder)).filter((name) => name.endsWith('.mjs')).map((name) => name.slice(0, -4));

export async function textOfService(name: string): Promise<string> {
  return await readFile(join(folder, `${name}.mjs`), 'utf8');
}

/** Writes a described service as a module that uses this build, with other addresses at `url`. Gives its folder. */
export async function placeService(name: string, url: string): Promise<string> {
  const own = join(inject('dist'), `gallery-${name}-${Math.random().toString(36).slice(2)}`);
  await mkdir(own, { recursive: true });
  const text = await textOfService(name);
  const moved = text.replace("'trawler'", `'${inject('dist')}/bundle/index.js'`).replace(/https:\/\/[a-z.]+(?=\/)/g, url);
  await writeFile(join(own, 'service.mjs'), moved);
  return own;
}

/** The same for one test. */
export async function placeForTest(name: string, url: string): Promise<string> {
  const own = await placeService(name, url);
  onTestFinished(() => rm(own, { recursive: true, force: true }));
  return join(own, 'service.mjs');
}
