import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/cli/runCommand.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { freePort } from '../../freePort.ts';
import { Kept, runInProcess } from '../runInProcess.ts';

/** Debian's package `prometheus` brings it. */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe('--metrics', () => {
  let folder: string;
  let flow: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-metrics-'));
    flow = join(folder, 'coffee.json');
    const query = Array.from({ length: 12 }, (_, index) => `coffee ${index}`);
    const places = { call: 'mapsSearch', with: { query, ll: '@40.74,-73.98,14z' }, pages: 1, to: 'places.jsonl' };
    await writeFile(flow, JSON.stringify({ name: 'coffee', stages: { places } }));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function scraped(): Promise<{ readonly text: string; readonly live: number; readonly code: number }> {
    await using service = await startSandbox({ latencyMs: 60, faults: [{ fault: 'status', status: 503, nth: 2 }] });
    const address = `127.0.0.1:${await freePort()}`;
    const stderr = new Kept();
    const env = { TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey };
    const argv = ['run', flow, '--out', join(folder, 'out'), '--concurrency', '2', '--metrics', address, '--fresh'];
    const ended = runCommand(argv, { stdin: Readable.from([]), stdout: new Kept(), stderr, env, signal: new AbortController().signal });
    let isOver = false;
    void ended.then(() => (isOver = true));
    let [text, live] = ['', 0];
    while (!isOver && !/outcome="ok"\} (?:[3-9]|1\d)/.test(text)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const response = await fetch(`http://${address}/metrics`).catch(() => undefined);
      text = (await response?.text()) ?? '';
      if (response !== undefined) live = (await fetch(`http://${address}/live`)).status;
    }
    const code = await ended;
    expect(stderr.text).toContain(`Metrics: http://${address}/metrics\n`);
    await expect(fetch(`http://${address}/metrics`)).rejects.toThrow('fetch failed'); // it ends with the command
    return { text, live, code };
  }

  it('serves what a run does, and how the one before ended', async () => {
    const first = await scraped();
    expect([first.code, first.live]).toEqual([0, 200]);
    expect(first.text).toContain('trawler_requests_total{operation="mapsSearch",outcome="503"} 1\n');
    expect(first.text).toMatch(/^trawler_requests_in_flight [12]$/m);
    expect(first.text).toMatch(/^trawler_rows\{flow="coffee",stage="places"\} \d+$/m);
    expect(first.text).not.toContain('trawler_last_run');
    const { text } = await scraped();
    expect(text).toContain('trawler_last_run_outcome{flow="coffee",outcome="capped"} 1\n');
    expect(text).toMatch(/^trawler_last_run_end_timestamp_seconds\{flow="coffee"\} 1\d{9}(\.\d+)?$/m);
    if (!hasPromtool) return console.log('promtool was not asked: apt-get install prometheus');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect([status, stdout + stderr]).toEqual([0, '']);
  });

  it('has all that the guide and the dashboard name, and no more', async () => {
    const read = (path: string): Promise<string> => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
    const names = (text: string): string[] => [...new Set(text.match(/trawler_\w+/g))].sort();
    const made = (await read('src/cli/serveMetrics.ts')).matchAll(/(?:counter|gauge)\(\s*'(\w+)'/g);
    const all = Array.from(made, ([, name]) => `trawler_${name}`).sort();
    const rows = (await read('docs/every-night.md')).split('\n').filter((line) => line.startsWith('| `trawler_'));
    expect(names(rows.join('\n'))).toEqual(all);
    expect(names(await read('examples/grafana/dashboard.json')).filter((name) => !all.includes(name))).toEqual([]);
  });

  it('refuses what is no address before anything is sent', async () => {
    const { code, stderr } = await runInProcess(['run', flow, '--sandbox', '--metrics', '9464']);
    expect([code, stderr]).toEqual([2, 'trawler: --metrics takes HOST:PORT, such as 127.0.0.1:9464.\n']);
  });
});
