import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runInProcess } from './runInProcess.ts';

interface EndedLine {
  /** Its words, one a line. */
  readonly line: string;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `trawler …` lines in a folder, one after the other, in this process. A shell takes them apart. A command that serves a page is
 * stopped once it has said so.
 */
export async function runLines(
  lines: readonly string[],
  folder: string,
  env: { readonly [name: string]: string } = {},
): Promise<readonly EndedLine[]> {
  const parts = `trawler() { for word; do printf '%s\\n' "$word"; done; printf '\\f\\n'; }`;
  const { stdout: words } = await promisify(execFile)('/bin/sh', ['-euc', ['ID=1', parts, ...lines].join('\n')], { cwd: folder, env: {} });
  const ended: EndedLine[] = [];
  const before = process.cwd();
  process.chdir(folder);
  try {
    for (const line of words.split('\f\n').slice(0, -1))
      ended.push({ line, ...(await runInProcess(line.split('\n').slice(0, -1), { env, until: 'Ctrl-C' })) });
  } finally {
    process.chdir(before);
  }
  return ended;
}
