import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../testedPackage.ts';
import { runInProcess } from '../runInProcess.ts';

it('SKILL.md has commands that work, in their order, and end with the files that it names', async () => {
  const skill = await readFile(join(root, 'skills/trawler/SKILL.md'), 'utf8');
  const folder = await mkdtemp(join(tmpdir(), 'trawler-skill-'));
  const printed: string[] = [];
  const failed: string[] = [];
  process.chdir(folder);
  for (const [, language, file, text] of skill.matchAll(/^ *```(\S+)(?: (\S+))?\n([^]*?)^ *```/gm)) {
    if (file !== undefined) await writeFile(file, text!);
    if (language !== 'sh') continue;
    for (const line of text!.trim().split('\n')) {
      const [program, ...words] = line.trim().split(' ');
      if (program === 'cat') printed.push(await readFile(words[0]!, 'utf8'));
      else {
        const { code, stdout, stderr } = await runInProcess(words.slice(1));
        if (code !== 0) failed.push(line, stderr);
        printed.push(stdout);
      }
    }
  }
  process.chdir(root);
  expect([failed, printed.length]).toEqual([[], 8]);
  expect(printed[0]).toContain('mapsSearch');
  expect(printed.at(-2)).toContain('places.csv');
  expect(printed.at(-1)).toContain('CREATE');
  await rm(folder, { recursive: true, force: true });
});
