import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  folder = await mkdtemp(join(tmpdir(), 'trawler-exit-'));
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

const child = fileURLToPath(new URL('exitChild.mjs', import.meta.url));
function run(what: string, path: string): Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [child, what, path, sandbox.url, sandbox.apiKey, inject('dist')], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

describe('a script with a sink', () => {
  it('stays alive while something waits, and ends with all rows', async () => {
    const path = join(folder, 'waits.jsonl');
    expect(await run('waits', path)).toEqual({ code: 0, stdout: 'true\n', stderr: '' });
    expect(existsSync(path)).toBe(true);
  });

  it('exits with 1 and says so when it ends before its stream did', async () => {
    const path = join(folder, 'unfinished.jsonl');
    const { code, stderr } = await run('unfinished', path);
    expect(code).toBe(1);
    expect(stderr).toContain(`the process ended before the stream to ${path} did`);
    expect(existsSync(path)).toBe(false);
  });
});
