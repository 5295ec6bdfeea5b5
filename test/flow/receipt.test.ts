import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowSummary } from '../../src/flow/index.ts';
import { nextSteps } from '../../src/flow/report/index.ts';
import { createClient } from '../../src/index.ts';
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

const open = (baseUrl: string) => createClient({ service, baseUrl, rate: 'unlimited', retry: { baseMs: 1 }, concurrency: 1 });

describe('the receipt of a run', () => {
  it('says what the pages of each stage cost, over all processes of the run, on the terminal and in the report', async () => {
    await using server = await serve();
    const outDir = join(folder, 'paid');
    let summary: FlowSummary | undefined;
    for (let runs = 0; runs < 20 && summary?.outcome !== 'complete'; runs++) {
      await using client = open(server.url);
      summary = (await lastValueFrom(runFlow(flow, { client, outDir, maxRequests: 3 }))) as FlowSummary;
    }
    expect(summary!.stages).toMatchObject([
      { name: 'places', pages: 2, rows: 4, price: 2 },
      { name: 'reviews', pages: 4, rows: 4, price: 0.5 },
    ]);
    const said =
      'Its pages cost 6.00: places 4.00, 1 a row; reviews 2.00, 0.5 a row. That is without retries, and as if none came from a store.';
    const textsOf = (one: FlowSummary): readonly string[] => nextSteps(one, undefined).map(({ text }) => text);
    expect(textsOf(summary!)).toContain(said);
    expect(readFileSync(join(outDir, 'report.html'), 'utf8')).toContain(said);
    expect(textsOf({ ...summary!, price: 0.1 })).toContainEqual(expect.stringMatching(/^Its pages cost 0\.60: places 0\.20, /));
    const [places, reviews] = summary!.stages.map((stage) => ({ ...stage, unit: 'credits' }));
    const inUnits = [{ ...places!, unit: 'USD' }, reviews!];
    expect(textsOf({ ...summary!, stages: inUnits })).toContainEqual(
      expect.stringMatching(/^Its pages cost 4 USD and 2 credits: places 4 USD, 1 a row; reviews 2 credits, 0\.5 a row\. /),
    );
    const stages = summary!.stages.map((stage) => ({ ...stage, price: undefined }));
    expect(textsOf({ ...summary!, stages })).not.toContainEqual(expect.stringContaining('cost'));
  });
});
