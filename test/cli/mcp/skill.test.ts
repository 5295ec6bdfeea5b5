import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, it } from 'vitest';

it('SKILL.md has commands that work, in their order, and end with the files that it names', async () => {
  const skill = await readFile(fileURLToPath(new URL('../../../SKILL.md', import.meta.url)), 'utf8');
  const folder = await mkdtemp(join(tmpdir(), 'trawler-skill-'));
  const block = /^ *```(\S+)(?: (\S+))?\n([^]*?)^ *```/gm;
  const trawler = `"${process.execPath}" "${join(inject('dist'), 'bundle/cli.js')}"`;
  const printed: string[] = [];
  for (const [, language, file, text] of skill.matchAll(block)) {
    if (file !== undefined) await writeFile(join(folder, file), text!);
    if (language !== 'sh') continue;
    for (const line of text!.trim().split('\n'))
      printed.push(
        execFileSync('sh', ['-c', line.replace('npx trawler', trawler)], {
          cwd: folder,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        }),
      );
  }
  expect(printed).toHaveLength(7);
  expect(printed[0]).toContain('mapsSearch');
  expect(printed.at(-2)).toContain('places.csv');
  expect(printed.at(-1)).toContain('CREATE');
  await rm(folder, { recursive: true, force: true });
});
