import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { brokers } from './brokers.ts';

const flow = { name: 'shell', stages: { words: { call: 'autocomplete', with: { query: ['tea', 'milk'] }, to: 'words.jsonl' } } };

describe('trawler run and worker --queue', () => {
  it.each(ofTheDay(brokers, 1))('lead without a key, work with one, and stop at SIGTERM, over $broker', async ({ start }) => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-shell-'));
    const server = await start();
    await using sandbox = await startSandbox({});
    const file = join(folder, 'shell.json');
    await writeFile(file, JSON.stringify(flow));
    const { TRAWLER_API_KEY: _, TRAWLER_BASE_URL: __, ...env } = process.env as { readonly [name: string]: string };
    const queue = ['--queue', server.url];
    const worker = spawn(process.execPath, [join(inject('dist'), 'bundle/cli.js'), 'worker', file, ...queue], {
      env: { ...env, TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: sandbox.apiKey },
      stdio: 'ignore',
    });
    const { code } = await runInProcess(['run', file, ...queue, '--out', join(folder, 'out')], { env });
    const stopped = new Promise((resolve) => worker.once('exit', resolve));
    worker.kill('SIGTERM');
    expect([code, await stopped]).toEqual([0, 0]);
    expect((await readFile(join(folder, 'out', 'words.jsonl'), 'utf8')).trim().split('\n').length).toBeGreaterThan(2);
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
});
