import { posix, win32 } from 'node:path';

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
  const path = platform === 'win32' ? win32 : posix;
  const [project, inside] = script.split(`${path.sep}node_modules${path.sep}trawler${path.sep}`);
  // On Windows, npm's starters give Node the file itself.
  if (platform === 'win32' && flags.length === 0 && inside !== undefined) {
    const below = path.relative(project!, cwd);
    return below.startsWith('..') || path.isAbsolute(below) ? 'trawler' : 'npx trawler';
  }
  if (path.basename(script).endsWith('.js'))
    return ['node', ...flags, path.relative(cwd, script)].map((word) => shellWord(word, platform)).join(' ');
  return path.dirname(script).endsWith(`node_modules${path.sep}.bin`) ? 'npx trawler' : 'trawler';
}

/** A word of a command line, quoted where a shell needs it: as cmd and PowerShell both take it on Windows. */
export function shellWord(word: string, platform: string = process.platform): string {
  if (platform === 'win32') return /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * The command line as it was typed, without the flags that hold for one run only and without addresses that may hold a
 * secret: of a database, and of who is told. In other addresses `[password]` stands for who may enter. Quoted where a shell needs it.
 */
export function commandToResume(argv: readonly string[], program = 'trawler'): string {
  const isOnce = (arg: string): boolean => /^--(fresh|failures|repair|postgres|notify|first)(=|$)/.test(arg);
  const again = argv.filter((arg, nth) => !isOnce(arg) && !/^--(postgres|notify|first)$/.test(argv[nth - 1] ?? ''));
  return [program, 'run', ...again.map((arg) => shellWord(withoutPassword(arg)))].join(' ');
}

/** A password that isn't encoded may contain a slash. The address of a queue has no other `@`. */
function withoutPassword(arg: string): string {
  return arg
    .replace(/(\brediss?:\/\/).*@/i, '$1[password]@')
    .replace(/(\b[a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1[password]@')
    .replaceAll(/([?&](?:username|password)=)[^&]*/gi, '$1[password]');
}
