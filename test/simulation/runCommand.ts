import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const script = join(root, 'scripts/simulate.mjs');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly scripts: { readonly simulate: string } };
const flags = scripts.simulate.split(' ').filter((word) => word.startsWith('--'));
/** In so few worlds, optimizing costs more than it gives. scripts/simulate.mjs is for many. */
if (process.versions.node.startsWith('20.')) flags.push('--interrupt-budget=1000000');

/** Runs the command in a process of its own, because it replaces the clock. Returns what it prints, and its exit code. */
export function simulate(...args: readonly string[]): Promise<{ readonly text: string; readonly code: number | null }> {
  const child = spawn(process.execPath, [...flags, args.includes('--plant') ? script : bundled(), ...args]);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ text, code })));
}

/** The simulation without a planted fault. The first test of a run that needs it bundles it, which takes as long as many worlds. */
function bundled(): string {
  const shared = join(inject('dist'), 'simulation');
  if (!existsSync(shared)) {
    const made = `${shared}-${process.pid}`;
    execFileSync(process.execPath, [script, '--bundle', made]);
    try {
      renameSync(made, shared);
    } catch {
      rmSync(made, { recursive: true }); // another process was faster
    }
  }
  return join(shared, 'simulate.js');
}
