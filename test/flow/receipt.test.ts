import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowSummary } from '../../src/flow/index.ts';
import { nextSteps } from '../../src/flow/report/index.ts';
import { createClient } from '../../src/index.ts';
import { openStore } from '../../src/store/index.ts';
import { startServer } from '../client/startServer.ts';
import { pricedCrawl } from './pricedCrawl.ts';

const folder = mkdtempSync(join(tmpdir(), 'trawler-receipt-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { service, flow } = pricedCrawl({ default: 0.5, places: 2, failed: 0.1 }, ['a', 'b']);

/** Each place has two ids. Each review fails once. */
async function serve() {
  const seen = new Set<string>();
  return startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const q = searchParams.get('q')!;
    if (pathname === '/reviews' && seen.size < seen.add(q).size) response.statusCode = 503;
    response.end(JSON.stringify({ rows: pathname === '/places' ? [{ id: `${q}1` }, { id: `${q}2` }] : [{ id: q }] }));
  });
}

const open = (baseUrl: string, more: object = {}) =>
  createClient({ service, baseUrl, rate: 'unlimited', retry: { baseMs: 1 }, concurrency: 1, ...more });

describe('the receipt of a run', () => {
  it('says what each stage has paid, over all processes of the run, in summary, report and data package', async () => {
    await using server = await serve();
    const outDir = join(folder, 'paid');
    let summary: FlowSummary | undefined;
    for (let runs = 0; runs < 20 && summary?.outcome !== 'complete'; runs++) {
      await using client = open(server.url);
      summary = (await lastValueFrom(runFlow(flow, { client, outDir, maxRequests: 3 }))) as FlowSummary;
    }
    const { receipt } = summary!;
    const none = { again: 0, saved: 0 };
    expect(receipt!.stages).toMatchObject([
      { ...none, stage: 'places', rows: 4, requests: 2, failed: 0, retries: 0, money: 4, failedMoney: 0 },
      { ...none, stage: 'reviews', rows: 4, requests: 8, failed: 4, money: 2.4, failedMoney: 0.4 },
    ]);
    expect(receipt!.total).toMatchObject({ requests: 10, failed: 4, money: 6.4 });
    const record = JSON.parse(readFileSync(join(outDir, 'datapackage.json'), 'utf8')) as { readonly trawler: { readonly receipt: object } };
    expect(record.trawler.receipt).toEqual(receipt);
    expect(readFileSync(join(outDir, 'report.html'), 'utf8')).toContain('<h2>Receipt</h2>');
    expect(nextSteps(summary!, undefined).map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^Paid 6\.40: places 4\.00, 1 a row; reviews 2\.40, 0\.6 a row\. In it are 4 failures for 0\.40/),
    );
  });

  it('says what a store and an update have saved', async () => {
    await using server = await serve();
    await using store = openStore(join(folder, 'responses'), { mode: 'reuse' });
    await using client = open(server.url, { store });
    const first = (await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'first') }))) as FlowSummary;
    expect(first.receipt!.total).toMatchObject({ requests: 10, saved: 0 });
    const again = (await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'again') }))) as FlowSummary;
    expect(again.receipt!.total).toMatchObject({ requests: 0, saved: 6, money: 0 });
    const update = (await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'first'), update: true }))) as FlowSummary;
    expect(update.receipt!.fewer).toBe(4);
  });
});
