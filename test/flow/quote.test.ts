import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, describe, expect, it } from 'vitest';
import { planFlow, quoteFault, runFlow, type FlowDefinition, type FlowSummary, type Quote } from '../../src/flow/index.ts';
import { compileFlow } from '../../src/flow/definition/compileFlow.ts';
import { createClient, defineService } from '../../src/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { startServer } from '../client/startServer.ts';
import { pricedCrawl } from './pricedCrawl.ts';

const folder = mkdtempSync(join(tmpdir(), 'trawler-quote-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const words = Array.from({ length: 40 }, (_, index) => `word${index}`);
const { service, flow } = pricedCrawl({ default: 2 }, words);

/** Each word has `size` places, and each place a review. */
function serve(size: (word: string) => number) {
  const seen = { requests: 0 };
  return startServer((request, response) => {
    seen.requests += 1;
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const q = searchParams.get('q')!;
    const count = pathname === '/places' ? size(q) : 1;
    response.end(JSON.stringify({ rows: Array.from({ length: count }, (_, index) => ({ id: `${q}.${index}` })) }));
  }).then((server) => Object.assign(server, { seen }));
}

const open = (baseUrl: string) => createClient({ service, baseUrl, rate: 'unlimited' });

async function quoteAt(url: string, sample: number): Promise<Quote> {
  await using client = open(url);
  const { quote } = await planFlow(flow, { client, sample, sampleRequests: 100 });
  expect(quote).not.toHaveProperty('because');
  return quote as Quote;
}

describe('a quote', () => {
  it('has a range in requests and money in which the truth lies, and the same id for the same sample', async () => {
    await using server = await serve((word) => 1 + (Number(word.slice(4)) % 3));
    const quote = await quoteAt(server.url, 6);
    const truth = 40 + words.reduce((sum, _, index) => sum + 1 + (index % 3), 0);
    expect(quote.requests.low).toBeLessThanOrEqual(truth);
    expect(quote.requests.high).toBeGreaterThanOrEqual(truth);
    expect(quote.money!.high).toBeGreaterThanOrEqual(2 * truth);
    expect((await quoteAt(server.url, 6)).id).toBe(quote.id);
    expect(quote.id).toMatch(/^[0-9a-f]{12}$/);
  });

  it('samples no more than it may, and is wide where that shows little', async () => {
    await using server = await serve(() => 90);
    const quote = await quoteAt(server.url, 4);
    expect(server.seen.requests).toBeLessThanOrEqual(100);
    expect(quote.requests.high).toBeGreaterThan(40 * 91);
    expect(quote.why[0]).toMatch(/^the sample ended after/);
  });

  it('is a cap for all runs of a flow together, which resume with another', async () => {
    await using small = await serve(() => 1);
    const quote = await quoteAt(small.url, 10);
    await using server = await serve(() => 30);
    const outDir = join(folder, 'out');
    await using client = open(server.url);
    const run = async (more: object): Promise<FlowSummary> =>
      (await lastValueFrom(runFlow(flow, { client, outDir, ...more }))) as FlowSummary;
    const stopped = await run({ quote });
    expect(stopped).toMatchObject({ outcome: 'interrupted', overLimit: { because: `the quote ${quote.id} is used up` } });
    expect(stopped.because).toMatch(/queries are left$/);
    await run({ quote });
    expect(server.seen.requests).toBeLessThanOrEqual(quote.requests.high);
    expect(server.seen.requests).toBeGreaterThan(quote.requests.high - 10);
    expect(await run({})).toMatchObject({ outcome: 'complete' });
  });

  it('counts requests that were cut off when a run was stopped', async () => {
    await using small = await serve(() => 1);
    const made = await quoteAt(small.url, 10);
    const quote = { ...made, requests: { ...made.requests, high: 30 } };
    let [requests, stop] = [0, new AbortController()];
    await using server = await startServer(() => {
      if (++requests % 4 === 0 || requests === 30) stop.abort(); // none is answered
    });
    await using client = createClient({ service, baseUrl: server.url, rate: 'unlimited', concurrency: 4 });
    for (let runs = 0; runs < 12; runs += 1) {
      stop = new AbortController();
      await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'cut'), quote, signal: stop.signal }));
    }
    expect(requests).toBe(30);
  });

  it('is refused for a flow or a service that has changed, with what changed', async () => {
    await using server = await serve(() => 1);
    const quote = await quoteAt(server.url, 4);
    const compiled = (definition: FlowDefinition) => compileFlow(definition);
    expect(quoteFault(quote, compiled(flow))).toBeUndefined();
    const { places, reviews } = flow.stages;
    const limited = { ...flow, stages: { places: { ...places!, limit: 3 }, reviews: reviews! } } as FlowDefinition;
    expect(quoteFault(quote, compiled(limited))).toBe(`the flow has changed since the quote ${quote.id}: stages.places.limit`);
    const dearer = defineService({ ...service, price: { default: 3 } });
    expect(quoteFault(quote, compiled({ ...flow, service: dearer }))).toContain('the description of the service priced has changed');
    await using client = open(server.url);
    const changed = lastValueFrom(runFlow(limited, { client, outDir: join(folder, 'changed'), quote }));
    await expect(changed).rejects.toThrow('stages.places.limit');
    expect(existsSync(join(folder, 'changed'))).toBe(false);
  });

  it('is made by trawler plan --sample, and kept to by trawler run --quote', async () => {
    await using server = await serve(() => 2);
    const at = join(folder, 'flows');
    mkdirSync(at);
    const [file, described] = [join(at, 'quoted.json'), join(at, 'service.mjs')];
    const operations = Object.fromEntries(
      Object.entries(service.operations).map(([name, { spec, params }]) => [name, { name, spec, params }]),
    );
    writeFileSync(described, `export default ${JSON.stringify({ ...service, operations })};`);
    writeFileSync(file, JSON.stringify({ ...flow, service: undefined }));
    const env = { TRAWLER_BASE_URL: server.url };
    const planned = await runInProcess(['plan', file, '--sample', '5', '--service', described], { env });
    const id = /--quote ([0-9a-f]{12})/.exec(planned.stderr)?.[1] ?? '';
    expect(planned).toMatchObject({ code: 0, stderr: expect.stringMatching(/Quote [0-9a-f]{12}: about 120 requests, .* in money/) });
    const outDir = join(folder, 'by-command');
    expect(await runInProcess(['run', file, '--quote', id, '--out', outDir, '--quiet', '--service', described], { env })).toMatchObject({
      code: 0,
    });
    expect(await runInProcess(['run', file, '--quote', 'abc', '--service', described], { env })).toMatchObject({ code: 2 });
    const kept = JSON.parse(readFileSync(join(at, '.trawler', 'quotes', `${id}.json`), 'utf8')) as Quote;
    writeFileSync(join(at, '.trawler', 'quotes', `${id}.json`), JSON.stringify({ ...kept, digest: 'another' }));
    expect(await runInProcess(['run', file, '--quote', id, '--service', described], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has changed'),
    });
  });
});
