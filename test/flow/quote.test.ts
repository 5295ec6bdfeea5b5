import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { loadFlow, planFlow, quoteFault, runFlow, type FlowDefinition, type FlowSummary, type Quote } from '../../src/flow/index.ts';
import { compileFlow } from '../../src/flow/definition/compileFlow.ts';
import { nextSteps } from '../../src/flow/report/index.ts';
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

/** Writes the flow and its service. */
function write(folder: string, more: object = {}): readonly [flow: string, service: string] {
  const [file, described] = [join(folder, 'quoted.json'), join(folder, 'service.mjs')];
  const operations = Object.fromEntries(
    Object.entries(service.operations).map(([name, { spec, params }]) => [name, { name, spec, params }]),
  );
  writeFileSync(described, `export default ${JSON.stringify({ ...service, operations })};`);
  writeFileSync(file, JSON.stringify({ ...flow, ...more, service: undefined }));
  return [file, described];
}

const open = (baseUrl: string) => createClient({ service, baseUrl, rate: 'unlimited' });

/** A quote for so many requests. */
const quoteOf = async (most: number): Promise<Quote> => ({ ...(await planFlow(flow)).quote, id: '0123456789ab', most });

describe('a quote', () => {
  it("is the plan's most, with the money, and has an id that stays the same", async () => {
    const limited = { ...flow, maxRequests: 300 };
    const { quote, requests } = await planFlow(limited);
    expect(requests.atMost).toBe(300);
    expect(quote).toMatchObject({ most: 300, money: 600 });
    expect((await planFlow(limited, { price: 0.5 })).quote).toMatchObject({ most: 300, money: 150 });
    expect((await planFlow(limited)).quote.id).toBe(quote.id);
    expect(quote.id).toMatch(/^[0-9a-f]{12}$/);
  });

  it('is twice what the first queries let expect, once they were run, and never above the most', async () => {
    await using server = await serve((word) => 1 + (Number(word.slice(4)) % 3));
    const outDir = join(folder, 'first');
    expect((await planFlow(flow)).quote).not.toHaveProperty('most');
    await using client = open(server.url);
    const first = (await lastValueFrom(runFlow(flow, { client, outDir, first: 10 }))) as FlowSummary;
    const requests = 10 + 19;
    expect(server.seen.requests).toBe(requests);
    expect(first).toMatchObject({ outcome: 'interrupted', first: { queries: 10, of: 40, requests, all: 4 * requests } });
    expect((await planFlow(flow, { outDir })).first).toEqual(first.first);
    const { quote } = await planFlow(flow, { outDir });
    expect(quote).toMatchObject({ most: 8 * requests, money: 16 * requests });
    expect((await planFlow({ ...flow, maxRequests: 50 }, { outDir })).quote.most).toBe(50);
    const whole = (await lastValueFrom(runFlow(flow, { client, outDir, quote }))) as FlowSummary;
    expect(whole.outcome).toBe('complete');
    expect(server.seen.requests).toBe(40 + words.reduce((sum, _, index) => sum + 1 + (index % 3), 0)); // no row was paid again
  });

  it('is a cap for all runs of a flow together, which resume with another', async () => {
    const quote = await quoteOf(100);
    await using server = await serve(() => 30);
    const outDir = join(folder, 'out');
    await using client = open(server.url);
    const run = async (more: object): Promise<FlowSummary> =>
      (await lastValueFrom(runFlow(flow, { client, outDir, ...more }))) as FlowSummary;
    const stopped = await run({ quote });
    expect(stopped).toMatchObject({ outcome: 'interrupted', overLimit: { because: `the quote ${quote.id} is used up`, quote: quote.id } });
    expect(stopped.because).toMatch(/queries are left$/);
    const [step] = nextSteps(stopped, `trawler run priced.json --quote ${quote.id} --out x`);
    expect(step!.text).toMatch(/^The quote 0123456789ab is used up; .* left\. Resume without a quote, or with another:$/);
    expect(step!.command).toBe('trawler run priced.json --out x');
    await run({ quote });
    expect(server.seen.requests).toBe(100);
    expect(await run({})).toMatchObject({ outcome: 'complete' });
  });

  it('counts requests that were cut off when a run was stopped', async () => {
    const quote = await quoteOf(30);
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

  it('is never passed by processes that are killed, or told to stop twice', { timeout: 120_000 }, async () => {
    const most = process.env['TRAWLER_LONG'] === '1' ? 120 : 33; // each eleventh ends a process
    const quote = await quoteOf(most);
    const flows = join(folder, 'killed');
    mkdirSync(join(flows, '.trawler', 'quotes'), { recursive: true });
    const [file, described] = write(flows);
    const { digest } = (await planFlow(await loadFlow(file, { service }))).quote;
    writeFileSync(join(flows, '.trawler', 'quotes', `${quote.id}.json`), JSON.stringify({ ...quote, digest }));
    let [requests, child]: [number, ChildProcess | undefined] = [0, undefined];
    let kill = (): void => undefined;
    await using server = await startServer((request, response) => {
      requests += 1;
      if (requests % 11 === 0) return kill(); // with others on their way
      const q = new URL(request.url!, 'http://localhost').searchParams.get('q')!;
      const rows = Array.from({ length: 9 }, (_, index) => ({ id: `${q}.${index}` }));
      setTimeout(() => response.end(JSON.stringify({ rows })), 15);
    });
    const argv = ['run', file, '--quote', quote.id, '--out', join(flows, 'out'), '--service', described, '--concurrency', '6', '--quiet'];
    let isOver = false;
    for (let runs = 0; runs < 30 && !isOver; runs += 1) {
      child = spawn(process.execPath, [join(inject('dist'), 'bundle/cli.js'), ...argv], {
        env: { ...process.env, TRAWLER_BASE_URL: server.url },
        stdio: 'ignore',
      });
      kill = () => {
        if (runs % 2 === 0) child!.kill('SIGKILL');
        else for (const _ of [1, 2]) child!.kill('SIGTERM');
      };
      const [code] = (await once(child, 'exit')) as [number | null];
      isOver = code === 4;
    }
    expect(isOver).toBe(true);
    expect(requests).toBeLessThanOrEqual(most);
    expect(requests).toBeGreaterThan(most / 2); // those that a kill has cut off count
  });

  it('is refused for a flow or a service that has changed, with what changed', async () => {
    await using server = await serve(() => 1);
    const quote = await quoteOf(10);
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

  it('is made by trawler plan --quote, and kept to by trawler run --quote', async () => {
    await using server = await serve(() => 2);
    const at = join(folder, 'flows');
    mkdirSync(at);
    const [file, described] = write(at, { maxRequests: 200 });
    const env = { TRAWLER_BASE_URL: server.url };
    const planned = await runInProcess(['plan', file, '--quote', '--service', described], { env });
    const id = /--quote ([0-9a-f]{12})/.exec(planned.stderr)?.[1] ?? '';
    expect(planned).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Quote [0-9a-f]{12}: at most 200 requests, 400\.00 in money\. Run within it: trawler run /),
    });
    expect(server.seen.requests).toBe(0);
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
