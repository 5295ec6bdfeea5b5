import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../src/cli/runCommand.ts';
import { startProxy } from '../../src/proxy/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { Kept, runInProcess } from '../cli/runInProcess.ts';
import { freePort } from '../freePort.ts';
import { randomFrom, rawBytes, send } from './rawBytes.ts';

/** Five minutes, or as long as a run of 40 requests takes. */
const longMs = process.env['TRAWLER_LONG'] === '1' ? 300_000 : 0;

describe('a port', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-ports-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function flowOf(queries: number): Promise<string> {
    const flow = join(folder, 'coffee.json');
    const query = Array.from({ length: queries }, (_, index) => `coffee ${index}`);
    const places = { call: 'mapsSearch', with: { query, ll: '@40.74,-73.98,14z' }, pages: 1, to: 'places.jsonl' };
    await writeFile(flow, JSON.stringify({ name: 'coffee', stages: { places } }));
    return flow;
  }

  it(
    'ends no run, whatever comes: of metrics, the page, the proxy and the sandbox, beside a run that ends as always',
    { timeout: 3 * longMs + 120_000 },
    async () => {
      const seed = Number(process.env['TRAWLER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
      const random = randomFrom(seed);
      const queries = longMs === 0 ? 40 : longMs / 40;
      await using service = await startSandbox({ latencyMs: 30 });
      await using behind = await startSandbox();
      const { url: baseUrl, apiKey } = behind;
      await using proxy = await startProxy({ port: 0, baseUrl, apiKey, rate: 'unlimited', ledger: false, waitMs: 2000, timeoutMs: 2000 });
      const flow = await flowOf(queries);
      const metrics = await freePort();
      const stop = new AbortController();
      const stderr = new Kept();
      const env = { TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey };
      const argv = ['run', flow, '--out', join(folder, 'out'), '--concurrency', '1', '--metrics', `127.0.0.1:${metrics}`, '--show'];
      const io = { stdin: Readable.from([]), stdout: new Kept(), stderr, env, signal: stop.signal };
      const ended = runCommand(argv, io);
      const [, page, token] = await seen(stderr, /http:\/\/127\.0\.0\.1:(\d+)\/\?token=([\w-]+)/);
      const shown = ['/api/runs', '/api/state', '/api/tables', '/api/rows', '/api/query', '/api/facets', '/api/row', '/api/changes'];
      const ports = {
        metrics: { port: metrics, targets: ['/metrics', '/live'] },
        page: { port: Number(page), targets: ['', ...shown].map((path) => `${path === '' ? '/' : path}?token=${token}&run=`) },
        proxy: { port: proxy.port, targets: ['/api/v1/engine/maps/search?query=a&ll=', '/api/v1/'] },
        sandbox: { port: service.port, targets: ['/api/v1/engine/maps/search?query=a&ll=', '/api/v1/engine/ai-mode?query=', '/api/v1/'] },
      };
      for (const target of ['//', '///x', '*', '/%zz', 'http://127.0.0.1/']) {
        const answers = await Promise.all(Object.values(ports).map(({ port }) => statusOf(port, target)));
        expect([target, ...answers]).toEqual([target, 400, 400, 400, 400]);
      }
      const failed: string[] = [];
      let sent = 0;
      while (!stderr.text.includes('report.html')) {
        const round = Object.entries(ports).flatMap(([name, { port, targets }]) =>
          Array.from({ length: 6 }, async () => {
            const bytes = rawBytes(random, targets);
            const statuses = await send(port, bytes, random);
            sent += 1;
            if (statuses.some((status) => status >= 500 && status !== 501))
              failed.push(`${name} ${statuses.join()}: ${bytes.toString('latin1').slice(0, 200)}`);
          }),
        );
        await Promise.all(round);
      }
      expect((await fetch(`http://127.0.0.1:${metrics}/live`)).status).toBe(200);
      expect((await fetch(`http://127.0.0.1:${page}/?token=${token}`)).status).toBe(200);
      expect((await fetch(service.url)).status).toBe(404);
      expect((await fetch(proxy.url)).status).toBe(404);
      stop.abort('SIGINT');
      expect([await ended, `seed ${seed}`, failed]).toEqual([0, `seed ${seed}`, []]);
      await runInProcess(['run', flow, '--out', join(folder, 'quiet'), '--sandbox', '--concurrency', '1']);
      const [rows, quiet] = await Promise.all(['out', 'quiet'].map((out) => readFile(join(folder, out, 'places.jsonl'), 'utf8')));
      expect(rows!.split('\n').length).toBeGreaterThan(queries);
      expect(rows).toBe(quiet);
      console.log(`${sent} connections of raw bytes to four ports, seed ${seed}`);
    },
  );
});

function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path }, ({ statusCode }) => resolve(statusCode));
    sent.on('error', reject).end();
  });
}

async function seen(output: Kept, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const found = pattern.exec(output.text);
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
