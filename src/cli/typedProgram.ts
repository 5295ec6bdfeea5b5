import { posix, win32 } from 'node:path';
import { shellWord } from './shellWord.ts';

interface Started {
  /** The flags of Node. */
  readonly flags: readonly string[];
  readonly cwd: string;
  readonly platform: string;
}

/**
 * What to type to start the command as it was started: by its name, by npx where it is installed in a project, or by node with a
 * file and the flags that were given.
 */
export function typedProgram(script: string, { flags, cwd, platform }: Started): string {
  const { basename, dirname, isAbsolute, relative, sep } = platform === 'win32' ? win32 : posix;
  const [project, inside] = script.split(`${sep}node_modules${sep}trawler${sep}`);
  // On Windows, npm's starters give Node the file itself.
  if (platform === 'win32' && flags.length === 0 && inside !== undefined) {
    const below = relative(project!, cwd);
    return below.startsWith('..') || isAbsolute(below) ? 'trawler' : 'npx trawler';
  }
  if (basename(script).endsWith('.js')) return ['node', ...flags, relative(cwd, script)].map((word) => shellWord(word, platform)).join(' ');
  return dirname(script).endsWith(`node_modules${sep}.bin`) ? 'npx trawler' : 'trawler';
}
