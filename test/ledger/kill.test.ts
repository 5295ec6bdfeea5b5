import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { openLedger, summarizeSpending } from '../../src/ledger/index.ts';
import { startServer } from '../client/startServer.ts';

const folder = mkdtempSync(join(tmpdir(), 'trawler-ledger-kill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the ledger of trawler run that is killed', () => {
  it('is what the service counted, or above it by what was in flight', { timeout: 60_000 }, async () => {
    const [concurrency, kills, queries] = process.env['TRAWLER_LONG'] === '1' ? [8, 10, 1200] : [8, 2, 200];
    let counted = 0;
    await using server = await startServer((_, response) => {
      counted += 1;
      setTimeout(() => response.end('{"rows":[{"id":"1"}]}'), 5);
    });
    const [ledger, flow, service] = ['ledger', 'flow.json', 'sold.mjs'].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(
      service,
      `import { defineOperation, defineService } from ${JSON.stringify(pathToFileURL(`${inject('dist')}/bundle/index.js`).href)};
      const spec = { get: '/rows', params: { q: { type: 'string' } }, response: { rows: [{ id: 'string' }] }, rows: 'rows' };
      export default defineService({ name: 'sold', headers: { 'x-key': '\${key}' }, operations: { rows: defineOperation(spec) } });`,
    );
    const q = Array.from({ length: queries }, (_, n) => `${n}`);
    writeFileSync(flow, JSON.stringify({ name: 'sold', service: './sold.mjs', stages: { rows: { call: 'rows', with: { q } } } }));
    const env = { PATH: process.env['PATH'], TRAWLER_API_KEY: 'k3y', TRAWLER_BASE_URL: server.url, TRAWLER_LEDGER: ledger };
    const start = () => {
      const argv = ['run', flow, '--rate', 'unlimited', '--concurrency', `${concurrency}`, '--out', join(folder, 'out')];
      return spawn(process.execPath, [join(inject('dist'), 'bundle/cli.js'), ...argv], { env, stdio: 'ignore' });
    };
    for (let killed = 1; killed <= kills; killed += 1) {
      const child = start();
      const before = counted;
      await expect.poll(() => counted, { timeout: 20_000, interval: 2 }).toBeGreaterThan(before + 30);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect((await once(start(), 'exit'))[0]).toBe(0);
    const { total, reserved } = await summarizeSpending(await openLedger(ledger), { since: 0, by: 'day' });
    expect(counted).toBeGreaterThanOrEqual(queries);
    expect(total.requests).toBeLessThanOrEqual(counted);
    expect(total.requests + reserved).toBeGreaterThanOrEqual(counted);
    expect(total.requests + reserved).toBeLessThanOrEqual(counted + kills * 2 * concurrency);
    console.info(`the service counted ${counted}, the ledger ${total.requests} and ${reserved} reserved, after ${kills} kills`);
  });
});
