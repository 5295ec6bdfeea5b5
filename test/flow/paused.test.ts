import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { nodeFileSystem, type FileSystem } from '../../src/sinks/index.ts';

const flow: FlowDefinition = {
  name: 'paused',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 2, to: 'places.jsonl' },
    reviews: {
      call: 'mapsReviews',
      each: 'places',
      with: { data_id: '$.data_id', results: 20 },
      pages: 2,
      keep: { place: '$.title' },
      to: ['reviews.csv', 'reviews.jsonl', 'reviews.sqlite'],
    },
  },
};
const texts = ['places.jsonl', 'reviews.csv', 'reviews.jsonl'];
const script = fileURLToPath(new URL('pausedChild.mjs', import.meta.url));
/** This process, which is never paused, takes itself for one of another machine. It also renews and watches locks sixteen times as often. */
const process_ = nodeFileSystem.process;
const another = { ...process_, host: 'another', after: ((ms, ...run) => process_.after(ms / 16, ...run)) as typeof process_.after };
const fileSystem: FileSystem = { ...nodeFileSystem, process: another };

let folder: string;
const running: ChildProcess[] = [];
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'trawler-paused-'))));
afterEach(() => {
  for (const one of running.splice(0)) one.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly name?: string;
  readonly message?: string;
}

/** Runs the flow to its end in this process. */
async function run(outDir: string, { url, apiKey }: Sandbox): Promise<void> {
  await using client = createClient({ baseUrl: url, apiKey });
  await lastValueFrom(runFlow(flow, { client, outDir, fileSystem, concurrency: 4 }));
}

/** Runs it in a process of its own. */
function start(outDir: string, { url, apiKey }: Sandbox): { readonly process: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [script, JSON.stringify({ dist: inject('dist'), url, apiKey, flow, outDir })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const ended = new Promise<Ended>((resolve) => child.on('close', () => resolve(JSON.parse(said || '{}') as Ended)));
  return { process: child, ended };
}

/** How many lines each file has, and the digest of its lines in order. */
function linesIn(outDir: string): readonly string[] {
  return texts.map((file) => {
    const lines = readFileSync(join(outDir, file), 'utf8').split('\n').sort();
    return `${file}: ${lines.length} lines, ${digestOf(lines.join('\n'))}`;
  });
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function ownFile(outDir: string, name: string): string {
  const path = join(outDir, '.trawler', name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

describe('a run that is paused and wakes', () => {
  it('ends with an error, and writes nothing into the files of the run that took its folder over', async () => {
    await using sandbox = await startSandbox();
    await using slow = await startSandbox({ latencyMs: [50, 300] });
    const golden = join(folder, 'golden');
    await run(golden, sandbox);
    const outDir = join(folder, 'out');
    const sleeper = start(outDir, slow);
    await expect.poll(() => ownFile(outDir, 'journal.jsonl').split('"type":"commit"').length).toBeGreaterThan(1);
    // Right after it renewed its lock: when it wakes, the commit is due before it looks at the lock by itself.
    const renewed = ownFile(outDir, 'run.lock');
    await expect.poll(() => ownFile(outDir, 'run.lock'), { interval: 10 }).not.toBe(renewed);
    sleeper.process.kill('SIGSTOP');
    await run(outDir, sandbox);
    const before = linesIn(outDir);
    sleeper.process.kill('SIGCONT');
    const { name, message } = await sleeper.ended;

    expect(linesIn(outDir)).toEqual(before);
    expect(before).toEqual(linesIn(golden));
    const { resources } = JSON.parse(readFileSync(join(outDir, 'datapackage.json'), 'utf8')) as {
      readonly resources: readonly { readonly path: string; readonly hash: string }[];
    };
    for (const { path, hash } of resources.filter((one) => texts.includes(one.path)))
      expect(`sha256:${digestOf(readFileSync(join(outDir, path)))}`).toBe(hash);
    expect(resources.length).toBeGreaterThan(2);
    expect(name).toBe('SinkError');
    expect(message).toMatch(/run\.lock: another process took over and has ended since.*this one was paused/);
  });
});
