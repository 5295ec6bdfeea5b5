import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { UsageError } from './Command.ts';
import { optionIn } from './parseOptions.ts';

/** Adds the variables of the file that --env names to the environment. One that is set already, and not empty, stays as it is. */
export function readEnvFile(argv: readonly string[]): void {
  const path = optionIn(argv, 'env');
  if (path === undefined) return;
  try {
    for (const [name, value] of Object.entries(parseEnv(textOf(readFileSync(path))))) process.env[name] ||= value;
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(isGone ? `--env: there is no file ${path}.` : `--env: ${path} can't be read as a file of variables.`, {
      hint: "Copy .env.example, which 'trawler init' writes, and fill it in. It has lines such as TRAWLER_API_KEY=….",
    });
  }
}

/** Editors and shells of Windows begin a file with a mark, and some of them write UTF-16. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes);
}
