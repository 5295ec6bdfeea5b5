import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ofTheDay } from '../ofTheDay.ts';
import { createClient } from '../../src/createClient.ts';
import { drawPlan, loadFlow, mermaid, planFlow, runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { fakeClient } from './fakeClient.ts';

const examples = fileURLToPath(new URL('../../examples/flows/', import.meta.url));
const names = (await readdir(examples)).filter((name) => name.endsWith('.json'));
const maps = (stages: FlowDefinition['stages']): FlowDefinition => ({ name: 'maps', stages });
const places = { call: 'mapsSearch', with: { query: ['a', 'b', 'a'], ll: '@40.74,-73.98,14z' }, pages: 5 };

describe('planFlow', () => {
  it.each(ofTheDay(names, 1, 1))('brackets what the sandbox counts for examples/flows/%s, and a sample comes near it', async (name) => {
    await using sandbox = await startSandbox();
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited' });
    const flow = await loadFlow(join(examples, name));
    const plan = await planFlow(flow);
    expect(sandbox.count()).toBe(0);
    const outDir = await mkdtemp(join(tmpdir(), 'trawler-plan-'));
    onTestFinished(() => rm(outDir, { recursive: true }));
    const summary = (await lastValueFrom(runFlow(flow, { client, outDir }))) as FlowSummary;
    const asked = sandbox.count();
    expect(asked).toBeGreaterThanOrEqual(plan.requests.atLeast);
    expect(asked).toBeLessThanOrEqual(plan.requests.atMost);
    for (const [index, stage] of plan.stages.entries()) {
      const { done, pages, rows } = summary.stages[index]!;
      for (const [range, real] of [
        [stage.queries, done],
        [stage.requests, pages],
        [stage.rows, rows],
      ] as const) {
        expect(real).toBeGreaterThanOrEqual(range.atLeast);
        expect(real).toBeLessThanOrEqual(range.atMost);
      }
    }
    const all = await planFlow(flow, { client, sample: 100 });
    expect(all.requests.expected).toEqual({ mean: asked, low: asked, high: asked });
    expect(all.stages.map(({ queries }) => queries.expected?.mean)).toEqual(summary.stages.map(({ done }) => done));
  });

  it('says why', async () => {
    const plan = await planFlow(maps({ places, reviews: { call: 'placeReviews', each: 'places', pages: 'all', limit: 30 } }), {
      price: 0.5,
    });
    expect(plan).toMatchObject({ requests: { atLeast: 2, atMost: 10 + 200 * 90 }, price: { atLeast: 1, atMost: 5 + 200 * 45 } });
    expect(plan.stages.map(({ queries, requests, rows, why }) => ({ queries, requests, rows, why }))).toEqual([
      {
        queries: { atLeast: 2, atMost: 2 },
        requests: { atLeast: 2, atMost: 10 },
        rows: { atLeast: 0, atMost: 200 },
        why: ['2 queries from its constants', 'pages: at most 5 of each query', 'at most 20 rows a page'],
      },
      {
        queries: { atLeast: 0, atMost: 200 },
        requests: { atLeast: 0, atMost: 18_000 },
        rows: { atLeast: 0, atMost: 6000 },
        why: [
          'a query for each row of places, which may have none; the same query is sent once',
          "pages: 'all', but none is requested after 30 rows came",
          'at most 10 rows a page',
          'limit: at most 30 rows of one query',
        ],
      },
    ]);
  });

  it('names where only to those who wrote it', async () => {
    const whyOf = async (more: object) => {
      const stages = { p: { call: 'mapsSearch', with: { query: 'coffee' }, ...more } };
      return (await planFlow(maps(stages as FlowDefinition['stages']))).stages[0]!.why;
    };
    const again = 'rows that come again are left out';
    const refused = 'where: rows that it refuses are left out';
    expect(await whyOf({ cover: { within: [13, 52, 13.9, 52.8] } })).toContain(again);
    expect(await whyOf({ cover: { within: [13, 52, 13.9, 52.8] } })).not.toContain(refused);
    expect(await whyOf({ by: 'data_id', where: { type: 'Cafe' } })).toEqual(expect.arrayContaining([again, refused]));
  });

  it('has no upper bound for an endless walk, unless the flow has a budget', async () => {
    const stages = { reviews: { call: 'mapsReviews', with: { data_id: 'x' }, pages: 'all' as const } };
    expect((await planFlow(maps(stages))).requests).toEqual({ atLeast: 1, atMost: Infinity });
    expect((await planFlow({ ...maps(stages), maxRequests: 50 })).requests).toEqual({ atLeast: 1, atMost: 50 });
  });

  it('counts different seeds, and knows nothing of standard input', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-plan-'));
    const seeds = join(folder, 'seeds.csv');
    await writeFile(seeds, 'q\na\nb\na\n\nc\n');
    const stages = (each: string) => maps({ places: { call: 'mapsSearch', each, with: { query: '$.q' } } });
    expect((await planFlow(stages(seeds))).requests).toEqual({ atLeast: 3, atMost: 3 });
    expect((await planFlow(stages('-'))).requests).toEqual({ atLeast: 0, atMost: Infinity });
    await rm(folder, { recursive: true });
  });

  it('tries an area with a hundred requests at most, and says that the rest is an estimate', async () => {
    await using sandbox = await startSandbox();
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited' });
    const areaOf = (area: readonly number[]) =>
      ({
        name: 'area',
        stages: { p: { call: 'mapsSearch', with: { query: 'coffee' }, cover: { within: area, full: 100 } } },
      }) as unknown as FlowDefinition;
    const large = await planFlow(areaOf([-10, 36, 20, 55]), { client, sample: 3 });
    expect(large.sampled!.requests).toBeLessThanOrEqual(100);
    expect(large.requests.expected).toMatchObject({ low: 1, high: Infinity });
    expect(large.requests.expected!.mean).toBeGreaterThan(100);
    const town = [13, 52, 13.4, 52.3];
    const small = await planFlow(areaOf(town), { client, sample: 3 });
    const { requests } = small.sampled!;
    expect(small.requests.expected).toEqual({ mean: requests, low: requests, high: requests });
    const summary = await lastValueFrom(runFlow(areaOf(town), { client, outDir: '/out', fileSystem: new MemoryFileSystem() }));
    // Several tiles find the same places.
    const { rows } = (summary as FlowSummary).stages[0]!;
    expect(small.stages[0]!.rows.expected).toEqual({ mean: rows, low: rows, high: rows });
  });

  it('draws from each root stage, and expects no more than its queries can give', async () => {
    const client = fakeClient(({ operation, query }) =>
      operation === 'mapsSearch'
        ? { search_results: [{ data_id: `d${query['query']}`, title: 't' }] }
        : { suggestions: [1, 2].map((n) => ({ value: `${n}`, relevance: 1, type: 'QUERY' })) },
    );
    const queries = (count: number): string[] => Array.from({ length: count }, (_, n) => `q${n}`);
    const flow = maps({
      places: { call: 'mapsSearch', with: { query: queries(6), ll: '@40.74,-73.98,14z' } },
      words: { call: 'autocomplete', with: { query: queries(300) } },
    });
    let said: object | undefined;
    const plan = await planFlow(flow, { client, sample: 5, sampling: (sample) => (said = { ...sample, sent: client.asked.length }) });
    const drawn = (operation: string): number => client.asked.filter((one) => one.operation === operation).length;
    expect([drawn('mapsSearch'), drawn('autocomplete')]).toEqual([1, 4]);
    expect(said).toEqual({ roots: 5, of: 306, requests: { atLeast: 5, atMost: 5 }, sent: 0 });
    const [placesPlan, words] = plan.stages;
    expect(placesPlan!.queries.expected).toEqual({ mean: 6, low: 6, high: 6 });
    expect(placesPlan!.rows.expected!.mean).toBe(6);
    expect(words!.queries.expected).toEqual({ mean: 300, low: 300, high: 300 });
    expect(words!.rows.expected).toEqual({ mean: 600, low: 600, high: 600 });
    expect(plan.requests.expected!.mean).toBe(306);
  });

  it('extrapolates from a sample, with an interval that has the outcome in it', async () => {
    const queries = Array.from({ length: 200 }, (_, index) => `q${index}`);
    const client = fakeClient(({ operation, query }) => {
      const many = Number(String(query['query'] ?? '').slice(1)) % 10;
      if (operation === 'mapsSearch')
        return { search_results: Array.from({ length: many }, (_, index) => ({ data_id: `${String(query['query'])}-${index}` })) };
      return { reviews_results: [] };
    });
    const flow = maps({ places: { call: 'mapsSearch', with: { query: queries } }, reviews: { call: 'placeReviews', each: 'places' } });
    const plan = await planFlow(flow, { client, sample: 30 });
    expect(plan.sampled).toEqual({ roots: 30, of: 200, requests: client.asked.length });
    const { mean, low, high } = plan.requests.expected!;
    expect(low).toBeLessThan(200 + 900);
    expect(high).toBeGreaterThan(200 + 900);
    expect([low, mean, high]).toEqual([low, mean, high].sort((one, other) => one - other));
    expect(high - low).toBeLessThan(800);
  });

  it('refuses invalid options', async () => {
    await expect(planFlow(maps({ places }), { price: -1 })).rejects.toThrow(RangeError);
    await expect(planFlow(maps({ places }), { sample: 1 })).rejects.toThrow('planFlow: client must be given for a sample');
  });
});

describe('mermaid', () => {
  it('draws stages, seeds and files, with their figures', async () => {
    const plan = await planFlow(await loadFlow(join(examples, 'cities.json')));
    expect(mermaid(plan)).toBe(`flowchart LR
  stage0["places<br>mapsSearch<br>requests: 4<br>rows: 0 to 40"]
  stage0seeds0[("cities.csv")]
  stage0seeds0 --> stage0
  stage0file0[/"museums.csv"/]
  stage0 --> stage0file0
  stage1["reviews<br>mapsReviews<br>requests: 0 to 80<br>rows: 0 to 1,600"]
  stage0 --> stage1
  stage1file0[/"reviews.csv"/]
  stage1 --> stage1file0
`);
  });
});

describe('drawPlan', () => {
  it('begins with the name, all requests and the price, and calls a number unknown that can be any', async () => {
    const flow = maps({ places: { ...places, pages: 'all' }, photos: { call: 'placePhotos', each: 'places' } });
    const svg = drawPlan(await planFlow(flow, { price: 0.002 }));
    expect(svg).toContain('>maps</text>');
    expect(svg).toContain('>requests at least 2; price at least 0.004</text>');
    expect(svg).toContain('>requests unknown</text>');
    expect(svg).not.toContain('at least 0<');
  });

  it('draws one SVG that needs nothing from elsewhere', async () => {
    const svg = drawPlan(await planFlow(await loadFlow(join(examples, 'coffee.json'))));
    expect(svg).toMatch(/^<svg /);
    for (const text of ['places', 'mapsReviews', 'requests 2 to 10', 'photos.jsonl']) expect(svg).toContain(text);
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script/);
  });
});
