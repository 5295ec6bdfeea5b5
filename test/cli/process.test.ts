import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { ofTheDay } from '../ofTheDay.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { runInProcess } from './runInProcess.ts';

const flow = {
  name: 'coffee',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, to: 'places.csv' },
    reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, pages: 2, to: 'reviews.jsonl' },
  },
};
const key = 'canary-5f3a9c';

/** The command as users have it: compiled, in a process of its own. */
describe('main', () => {
  let folder: string;
  let sandbox: Sandbox;
  const started: ChildProcess[] = [];
  const printed: { readonly stdout: string; readonly stderr: string }[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-main-'));
    await writeFile(join(folder, 'coffee.json'), JSON.stringify(flow));
    sandbox = await startSandbox({ apiKey: key, latencyMs: 20 });
  });
  afterEach(async () => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    await sandbox.close();
    // Whatever a test did, the key was never printed or written.
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const written = files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8'));
    for (const text of [...printed.splice(0).flatMap(({ stdout, stderr }) => [stdout, stderr]), ...(await Promise.all(written))])
      if (text.includes(key)) throw new Error(`the key was printed or written: ${text}`);
    await rm(folder, { recursive: true, force: true });
  });

  function start(...argv: readonly string[]) {
    const env = { PATH: process.env['PATH'], TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: key };
    const child = spawn(process.execPath, [join(inject('dist'), 'bundle/cli.js'), ...argv], { cwd: folder, env });
    started.push(child);
    const said = { stdout: '', stderr: '' };
    printed.push(said);
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
    return { child, said, ended: once(child, 'close').then(([code]) => code as number | null) };
  }
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('stops quietly when the reader of its output is gone', async () => {
    const { child, said, ended } = start('call', 'webSearch', '--query', 'coffee', '--pages', 'all', '--format', 'json', '--quiet');
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toBe(0);
    expect(said.stderr).toBe('');
    expect(sandbox.count()).toBeLessThan(8);
  });

  async function stoppedBy(signal: NodeJS.Signals, code: number): Promise<void> {
    const first = start('run', 'coffee.json');
    await until(() => sandbox.count('mapsReviews') >= 5);
    first.child.kill(signal);
    expect(await first.ended).toBe(code);
    expect(first.said.stderr).toContain('Stopping: ');
    expect(first.said.stderr).toMatch(/\nResume: node \S*cli\.js run coffee\.json\n/);
  }

  const signals = [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const; // prettier-ignore
  it.each(ofTheDay(signals, 1))('at %s stops a run with %i, says how to resume, and resumes without asking again', async (signal, exit) => {
    await stoppedBy(signal, exit);
    const asked = sandbox.count();
    const env = { TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: key };
    const runInto = (out: string) => runInProcess(['run', join(folder, 'coffee.json'), '--out', join(folder, out)], { env });
    expect((await runInto('out/coffee')).code).toBe(0);
    expect(sandbox.count('mapsSearch')).toBe(1);
    const whole = sandbox.count();
    expect((await runInto('undisturbed')).code).toBe(0);
    const [rows, golden] = await Promise.all(
      ['out/coffee', 'undisturbed'].map(async (out) => (await readFile(join(folder, out, 'reviews.jsonl'), 'utf8')).split('\n').toSorted()),
    );
    expect(rows).toEqual(golden);
    expect(whole - (sandbox.count() - whole)).toBeLessThanOrEqual(8); // what was in flight at the signal
    expect(asked).toBeLessThan(whole);
  });

  it('stops when stdout is on a full disk, says why, and resumes', async () => {
    const full = await open('/dev/full', 'w');
    const env = { PATH: process.env['PATH'], TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: key };
    const child = spawn(process.execPath, [join(inject('dist'), 'bundle/cli.js'), 'run', 'coffee.json', '--json'], { cwd: folder, env, stdio: ['ignore', full.fd, 'pipe'] }); // prettier-ignore
    started.push(child);
    let stderr = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [code] = (await once(child, 'close')) as [number];
    await full.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^coffee: interrupted after .*\nResume: .* run coffee\.json --json\n/);
    expect(stderr.endsWith("\ntrawler: standard output can't be written: no space left on device\n")).toBe(true);
    const argv = ['run', join(folder, 'coffee.json'), '--out', join(folder, 'out/coffee'), '--json'];
    const resumed = await runInProcess(argv, { env: { TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: key } });
    printed.push(resumed);
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain('"type":"progress"');
  });

  it.skipIf(process.platform === 'win32')('fails when only the start of a text fits on the disk of stdout', async () => {
    const limited = 'ulimit -f 1; exec "$0" "$@" > out.txt';
    const child = spawn('sh', ['-c', limited, process.execPath, join(inject('dist'), 'bundle/cli.js'), '--help'], { cwd: folder });
    started.push(child);
    const [code] = (await once(child, 'close')) as [number | null];
    expect((await readFile(join(folder, 'out.txt'), 'utf8')).length).toBe(512);
    expect(code).toBe(1);
  });

  it('says at SIGUSR1 what each stage waits for, and goes on', async () => {
    const { child, said, ended } = start('run', 'coffee.json', '--concurrency', '2');
    await until(() => sandbox.count('mapsReviews') >= 5);
    // Between a response and the next request one less is in flight, so it is asked until it says two.
    const both = /^mapsReviews: 2 in flight, the oldest for .+ \(stage reviews → files\)$/m;
    await until(() => !child.kill('SIGUSR1') || both.test(said.stderr));
    expect(said.stderr).toMatch(both);
    expect(said.stderr).toMatch(/^mapsReviews: \d+ waits? for a slot, the oldest for .+ \(stage reviews → files\)$/m);
    expect(await ended).toBe(0);
    expect(said.stderr).toContain('done after');
  });

  it('serves as many works as --works says, and opens no debugger at SIGUSR1', async () => {
    const { child, said, ended } = start('sandbox', '--works', '300');
    await until(() => said.stdout.includes('API_KEY'));
    const [, url, apiKey] = /BASE_URL=(\S+)\n.*API_KEY=(\S+)/.exec(said.stdout)!;
    const response = await fetch(`${url}/api/v1/engine/scholar/search?query=graphene`, { headers: { 'x-api-key': apiKey! } });
    expect(await response.json()).toMatchObject({ data: { search_details: { number_of_results: 'About 300 results' } } });
    child.kill('SIGUSR1');
    await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill('SIGTERM');
    await ended;
    expect(said.stderr).toContain('It received 1 request.');
    expect(said.stderr).not.toContain('Debugger');
  });
});
