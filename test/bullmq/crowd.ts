import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

export interface Member {
  readonly child: ChildProcess;
  /** Resolves when it has written this. */
  said(text: string): Promise<void>;
  readonly exited: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** A leader or a worker in a process of its own, on the compiled package; only a worker is given the key. */
export function spawnMember(role: 'worker' | 'leader', options: object, apiKey?: string): Member {
  const { TRAWLER_API_KEY: _, TRAWLER_BASE_URL: __, ...env } = process.env;
  const script = fileURLToPath(new URL(`${role}Child.mjs`, import.meta.url));
  const child = spawn(process.execPath, [script, inject('dist'), JSON.stringify(options)], {
    env: apiKey === undefined ? env : { ...env, TRAWLER_API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  const exited = new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, out, err }));
  });
  const said = async (text: string): Promise<void> => {
    while (!out.includes(text)) await new Promise((resolve) => child.stdout.once('data', resolve));
  };
  return { child, said, exited };
}

/** The rows of files, sorted: workers finish in any order. */
export function rowsIn(folder: string, files: readonly string[]): { readonly [file: string]: readonly string[] } {
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8').split('\n').sort()]));
}
