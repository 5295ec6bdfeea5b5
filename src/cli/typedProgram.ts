import { basename, dirname, relative, sep } from 'node:path';

/**
 * What to type to start the command as it was started: by its name, by npx where it is installed in a project, or by node with a
 * file and the flags that were given.
 */
export function typedProgram(script: string, flags: readonly string[], cwd: string = process.cwd()): string {
  if (basename(script).endsWith('.js')) return ['node', ...flags, relative(cwd, script)].join(' ');
  return dirname(script).endsWith(`node_modules${sep}.bin`) ? 'npx trawler' : 'trawler';
}
