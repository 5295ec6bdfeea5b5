import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { readHeader } from '../../../src/flow/seeds/readHeader.ts';
import { readSeeds } from '../../../src/flow/seeds/readSeeds.ts';
import { nodeFileSystem } from '../../../src/sinks/index.ts';

let folder: string;
let pipe: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-pipe-'));
  pipe = join(folder, 'seeds.csv');
  execFileSync('mkfifo', [pipe]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const refused =
  "seeds.csv is a pipe or a device, and seeds are read more than once. Write '-' and pipe them to standard input, or save them as a file";

describe('seeds from a named pipe', () => {
  it('are refused by the check of a flow, although nobody writes to the pipe', async () => {
    // In a process of its own: opening such a pipe blocks the whole process.
    const script = `
      import { checkFlow } from ${JSON.stringify(`${inject('dist')}/bundle/flow.js`)};
      const flow = { name: 'piped', stages: { places: { call: 'mapsSearch', each: 'seeds.csv', with: { query: '$.query' } } } };
      console.log(checkFlow(flow, { folder: ${JSON.stringify(folder)} })[0].message);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
    const ended = new Promise((resolve) => child.on('close', resolve));
    const overdue = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await ended;
    clearTimeout(overdue);
    expect(said).toContain(refused);
  });

  it('are refused where a pipe has taken the place of the file since', async () => {
    await expect(readSeeds(pipe, nodeFileSystem).next()).rejects.toThrow(refused);
    expect(() => readHeader(pipe, nodeFileSystem)).toThrow(refused);
  });

  it('are refused where the name is that of a folder', async () => {
    await expect(readSeeds(folder, nodeFileSystem).next()).rejects.toThrow('is a folder');
  });
});
