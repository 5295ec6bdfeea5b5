import { shellWord } from './shellWord.ts';

/**
 * The command line as it was typed, without the flags that hold for one run only and without the address of a database, which may
 * hold a password. In other addresses `[password]` stands for who may enter. Quoted where a shell needs it.
 */
export function commandToResume(argv: readonly string[], program = 'trawler'): string {
  const again = argv.filter((arg, nth) => !/^--(fresh|failures|repair|postgres)(=|$)/.test(arg) && argv[nth - 1] !== '--postgres');
  return [program, 'run', ...again.map((arg) => shellWord(withoutPassword(arg)))].join(' ');
}

/** A password that isn't encoded may contain a slash. The address of a queue has no other `@`. */
function withoutPassword(arg: string): string {
  return arg
    .replace(/(\brediss?:\/\/).*@/i, '$1[password]@')
    .replace(/(\b[a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1[password]@')
    .replaceAll(/([?&](?:username|password)=)[^&]*/gi, '$1[password]');
}
