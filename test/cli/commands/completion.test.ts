import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commands } from '../../../src/cli/commands.ts';
import { runInProcess } from '../runInProcess.ts';

function hasShell(shell: string): boolean {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!isThere) console.warn(`skipped: what ${shell} completes, because it isn't installed`);
  return isThere;
}

/** What bash offers for the last of these words. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runInProcess(['completion', 'bash']);
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const typed = `COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}\n_trawler\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', `${stdout}\n${typed}`], { encoding: 'utf8', cwd: import.meta.dirname })
    .split('\n')
    .slice(0, -1);
}

describe('trawler completion', () => {
  it.skipIf(!hasShell('bash'))('completes commands, their options, operations and files in bash', async () => {
    expect(await offered('trawler', '')).toEqual([...Object.keys(commands), 'help']);
    expect(await offered('trawler', 'pl')).toEqual(['plan']);
    expect(await offered('trawler', 'run', '--fi')).toEqual(['--first']);
    expect(await offered('trawler', 'run', 'coffee.json', '--fai')).toEqual(['--failures']);
    expect(await offered('trawler', 'call', 'mapsR')).toEqual(['mapsReviews']);
    expect(await offered('trawler', 'store', 'st')).toEqual(['stats']);
    expect(await offered('trawler', 'run', 'completion.te')).toEqual(['completion.test.ts']);
  });

  it.skipIf(!hasShell('zsh'))('is a script that zsh takes', async () => {
    const { stdout } = await runInProcess(['completion', 'zsh']);
    expect(stdout).toContain('bashcompinit');
    const { status, stderr } = spawnSync('zsh', ['-f', '-c', `${stdout}\ncompletion() { print -r -- $_comps[trawler] }; completion`], { encoding: 'utf8' }); // prettier-ignore
    expect([status, stderr]).toEqual([0, '']);
  });

  it('refuses other shells', async () => {
    expect(await runInProcess(['completion', 'fish'])).toMatchObject({
      code: 2,
      stderr: 'trawler: trawler completion is for bash or zsh.\n  Write: trawler completion bash\n',
    });
  });
});
