import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../scripts/simulate.mjs', import.meta.url));

/** Runs the command in a process of its own, because it replaces the clock. Returns what it prints, and its exit code. */
export function simulate(...args: readonly string[]): Promise<{ readonly text: string; readonly code: number | null }> {
  const child = spawn(process.execPath, ['--min-semi-space-size=64', '--max-semi-space-size=64', script, ...args]);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ text, code })));
}
