import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, tap } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFlow, defineFlow, loadFlow, runFlow, type FlowProgress, type FlowSummary } from '../../src/flow/index.ts';
import { systemClock } from '../../src/client/Clock.ts';
import { createClient } from '../../src/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openStore, summarizeStore } from '../../src/store/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { eventsOf, testClient } from '../client/testClient.ts';

const places = { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 1, limit: 12, to: 'places.csv' } as const;
const reviews = { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, pages: 2, to: 'reviews.jsonl' } as const;
const flow = { name: 'coffee', stages: { places, reviews } };
const pickier = { ...flow, stages: { places, reviews: { ...reviews, pages: 3, where: { rating: { '>=': 4 } } } } };

describe('a flow with a store', () => {
  let folder: string;
  const at = (name: string): string => join(folder, name);
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'store-flow-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const rowsOf = async (out: string): Promise<string[]> => (await readFile(join(out, 'reviews.jsonl'), 'utf8')).trim().split('\n').sort();

  it('starts over when it was changed: says what changed, uses stored responses, requests the rest', async () => {
    await using sandbox = await startSandbox();
    const run = async (definition: object): Promise<{ requests: number; notices: string[]; rows: string[] }> => {
      await using store = openStore(at('responses'));
      await using client = testClient(sandbox.url, { apiKey: sandbox.apiKey, store });
      const notices: string[] = [];
      const tell = (event: FlowProgress): void => void (event.type === 'notice' && notices.push(event.message));
      await lastValueFrom(runFlow(defineFlow(definition as typeof flow), { client, outDir: at('out') }).pipe(tap(tell)));
      return { requests: client.stats().requests, notices, rows: await rowsOf(at('out')) };
    };
    const first = await run(flow);
    const second = await run(pickier);
    expect(second.notices[0]).toBe(
      'the flow was changed: stage reviews: pages was 2 and is 3, where was left out and is {"rating":{">=":4}}. It starts over, and takes what is stored',
    );
    expect(second.notices[1]).toMatch(/^the files of an earlier run were moved to \S+\bold-1$/);
    expect(second.notices.at(-1)).toMatch(/^\d+ pages came from .*responses: asked for once, and used again$/);
    expect(second.requests).toBeGreaterThan(0);
    expect(second.requests).toBeLessThan(first.requests);
    expect(second.rows.every((row) => (JSON.parse(row) as { rating: number }).rating >= 4)).toBe(true);
    expect((await run(flow)).requests).toBe(0);
    expect(await rowsOf(at('out'))).toEqual(first.rows);
  });

  it('stays where it is when it was changed and only its failures were to be retried', async () => {
    await using sandbox = await startSandbox();
    await using store = openStore(at('responses'));
    await using client = testClient(sandbox.url, { apiKey: sandbox.apiKey, store });
    await lastValueFrom(runFlow(flow, { client, outDir: at('out') }));
    const rows = await rowsOf(at('out'));
    const retried = lastValueFrom(runFlow(defineFlow(pickier), { client, outDir: at('out'), failures: true }));
    await expect(retried).rejects.toThrow('as it was before it was changed');
    expect(await rowsOf(at('out'))).toEqual(rows);
  });

  it('restarts a walk once when the token it stopped at is refused, and says so', async () => {
    const walk = {
      name: 'walk',
      stages: { reviews: { call: 'mapsReviews', with: { data_id: '0x1:0x2' }, pages: 4, to: 'reviews.jsonl' } },
    };
    const run = async (seed: string, maxRequests?: number): Promise<{ summary: FlowSummary; requests: number; told: string[] }> => {
      await using sandbox = await startSandbox({ seed }); // each has its own tokens
      await using store = openStore(at('responses'));
      await using client = testClient(sandbox.url, { apiKey: sandbox.apiKey, store });
      const events = eventsOf(client);
      const summary = (await lastValueFrom(runFlow(defineFlow(walk as never), { client, outDir: at('out'), maxRequests }))) as FlowSummary;
      const told = events.flatMap((event) => (event.type === 'store' ? [event.message] : []));
      return { summary, requests: client.stats().requests, told };
    };
    expect((await run('before', 2)).summary).toMatchObject({ outcome: 'interrupted' });
    const { summary, requests, told } = await run('after');
    expect(summary).toMatchObject({ outcome: 'complete', stages: [{ pages: 4, failed: 0 }] });
    expect(requests).toBe(5); // the refused one, the two pages before, and two more
    expect(told).toEqual([expect.stringMatching(/refuses it: the walk starts over, and 2 pages are requested again/)]);
  });

  it('requests a stored page again whose value expired before it was resumed', async () => {
    const overviews = { call: 'aiOverviews', each: 'searches', to: 'overviews.jsonl' };
    const searches = { call: 'webSearch', with: { query: 'why is the sky blue' }, to: 'searches.jsonl' };
    let now = Date.UTC(2026, 0, 1);
    const clock = { ...systemClock, wall: () => now };
    await using sandbox = await startSandbox({ now: () => now });
    const run = async (maxRequests?: number): Promise<{ summary: FlowSummary; requests: number; told: string[] }> => {
      await using store = openStore(at('responses'), { now: () => now });
      await using client = testClient(sandbox.url, { apiKey: sandbox.apiKey, store, clock });
      const events = eventsOf(client);
      const definition = defineFlow({ name: 'sky', stages: { searches, overviews } } as never);
      const summary = (await lastValueFrom(runFlow(definition, { client, outDir: at('out'), maxRequests }))) as FlowSummary;
      const told = events.flatMap((event) => (event.type === 'store' ? [event.message] : []));
      return { summary, requests: client.stats().requests, told };
    };
    expect(await run(1)).toMatchObject({ summary: { outcome: 'interrupted' }, requests: 1, told: [] });
    now += 120_001;
    const { summary, requests, told } = await run();
    expect(summary).toMatchObject({ outcome: 'capped', stages: [{ failed: 0 }, { failed: 0, pages: 1 }] });
    expect(requests).toBe(3); // the overview, which has expired, the search once more, and the new overview
    expect(told).toEqual([]);
    expect(await run()).toMatchObject({ requests: 0 });
  });

  it('is still refused in the folder of another flow', async () => {
    await using sandbox = await startSandbox();
    await using client = testClient(sandbox.url, { apiKey: sandbox.apiKey, store: openStore(at('responses')) });
    await lastValueFrom(runFlow(defineFlow(flow), { client, outDir: at('out') }));
    const other = defineFlow({ ...flow, name: 'tea' });
    await expect(lastValueFrom(runFlow(other, { client, outDir: at('out') }))).rejects.toThrow(/belongs to another flow \(coffee\)/);
    expect(readdirSync(at('out'))).not.toContain('old-1');
  });

  it('says what was changed and that a store pays for it, where it is refused without one', async () => {
    const run = async (definition: object, ...argv: readonly string[]): ReturnType<typeof runInProcess> => {
      await writeFile(at('flow.json'), JSON.stringify(definition));
      return runInProcess(['run', at('flow.json'), '--sandbox', '--out', at('out'), ...argv]);
    };
    await run(flow, '--store', at('responses'));
    const seen = { ...flow, stages: { ...flow.stages, places: { ...places, seen: true } } };
    const { code, stderr } = await run(seen);
    expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      2,
      expect.stringContaining(
        'before it was changed: stage places: seen was left out and is true. With the store that has its responses (--store DIR), the same run',
      ),
    ]);
    expect((await run(seen, '--store', at('responses'))).stderr).toContain('; 0 requests');
  });

  it('may name its store itself, beside it', async () => {
    await using sandbox = await startSandbox();
    await writeFile(at('flow.json'), JSON.stringify({ ...flow, store: { folder: 'responses', maxAge: { '*': '7d' } } }));
    const requests = async (out: string): Promise<number> => {
      await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
      await lastValueFrom(runFlow(await loadFlow(at('flow.json')), { client, outDir: at(out) }));
      return client.stats().requests;
    };
    expect(await requests('one')).toBeGreaterThan(20);
    expect(await requests('two')).toBe(0);
    expect(readdirSync(at('responses'))).toContain('000001.warc.gz');
  });

  it.each(['../responses', '/tmp/responses', 'a/../../b', '~/responses'])('may not name a store outside its folder: %s', (store) => {
    expect(checkFlow({ ...flow, store })).toMatchObject([{ message: expect.stringContaining('a folder beside the flow') }]);
  });

  describe('on the command line', () => {
    const trawler = (...argv: string[]): ReturnType<typeof runInProcess> => runInProcess(argv);
    beforeEach(() => writeFile(at('flow.json'), JSON.stringify(flow)));
    const record = (out: string): ReturnType<typeof runInProcess> =>
      trawler('run', at('flow.json'), '--sandbox', '--store', at('responses'), '--out', at(out));

    it('stores with --store, and replays with --replay, without an address or a key', async () => {
      expect((await record('one')).code).toBe(0);
      const again = await record('two');
      expect(again.stderr).toMatch(/done in .*; 0 requests|0 requests/);
      const replayed = await trawler('run', at('flow.json'), '--replay', at('responses'), '--out', at('three'));
      expect([replayed.code, replayed.stderr.includes('used again')]).toEqual([0, true]);
      expect(await rowsOf(at('three'))).toEqual(await rowsOf(at('one')));
    });

    it('names the query that a replay misses', async () => {
      await record('one');
      const { code, stderr, stdout } = await trawler('call', 'mapsReviews', '--data_id', 'unheard', '--replay', at('responses'));
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('mapsReviews {"data_id":"unheard"}');
      expect(stderr).toContain('a replay sends no request');
    });

    it('lists, counts, verifies, prunes and exports what is stored', async () => {
      await record('one');
      await record('two');
      const { responses } = summarizeStore(at('responses'));
      expect((await trawler('store', 'ls', at('responses'))).stdout).toMatch(/search\/mapsReviews +\d{4}-\d\d-\d\d +\d+ /);
      const stats = await trawler('store', 'stats', at('responses'));
      expect(stats.stdout).toContain(`${responses} responses in 1 segment`);
      expect(await trawler('store', 'verify', at('responses'))).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('all as they were written'),
      });
      const lines = (await trawler('store', 'export', at('responses'))).stdout.trim().split('\n');
      expect(lines).toHaveLength(responses);
      expect(JSON.parse(lines[0]!)).toMatchObject({ service: 'search', operation: 'mapsSearch', status: 200, body: { code: 200 } });
      expect((await trawler('store', 'prune', at('responses'), '--older', '90d')).stdout).toContain(
        `0 responses dropped, ${responses} kept`,
      );
    });

    it.each([
      [['store', 'list', 'x'], "trawler store has no action 'list'"],
      [['store', 'ls'], 'takes one folder'],
      [['store', 'ls', 'nowhere'], 'no stored responses are there'],
      [['store', 'prune', 'x', '--older', '90'], '--older is a length of time'],
      [['call', 'mapsReviews', '--data_id', 'a', '--store', 'a', '--replay', 'b', '--sandbox'], 'Use one of them'],
      [['call', 'mapsReviews', '--data_id', 'a', '--max-age', '7d', '--sandbox'], '--max-age goes with --store'],
    ])('refuses %j', async (argv, message) => {
      const { code, stderr } = await trawler(...argv);
      expect(stderr).toContain(message);
      expect(code).toBe(2);
    });
  });
});
