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
import { postgresDestination } from '../../src/sinks/index.ts';
import { withoutPackage } from '../withoutPackage.ts';

const examples = fileURLToPath(new URL('../../examples/flows/', import.meta.url));
const names = (await readdir(examples)).filter((name) => name.endsWith('.json'));
const maps = (stages: FlowDefinition['stages']): FlowDefinition => ({ name: 'maps', stages });
const places = { call: 'mapsSearch', with: { query: ['a', 'b', 'a'], ll: '@40.74,-73.98,14z' }, pages: 5 };

describe('planFlow', () => {
  it.each(ofTheDay(names, 1, 1))('brackets what the sandbox counts for examples/flows/%s', async (name) => {
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
          'all pages, but none is requested after 30 rows came',
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

  it('refuses invalid options', async () => {
    await expect(planFlow(maps({ places }), { price: -1 })).rejects.toThrow(RangeError);
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
  stage1["reviews<br>mapsReviews<br>requests: 0 to 80<br>rows: 0 to 800"]
  stage0 --> stage1
  stage1file0[/"reviews.csv"/]
  stage1 --> stage1file0
`);
  });
});

describe('a package that the flow needs, and that is not installed', () => {
  it.each([
    ['rows.parquet', 'hyparquet-writer', 'rows.parquet: Parquet needs one more package: npm install hyparquet-writer'],
    ['rows.duckdb', '@duckdb/node-api', 'rows.duckdb: DuckDB files need one more package: npm install @duckdb/node-api'],
    ['postgres:rows', 'pg', 'postgres:rows: PostgreSQL needs two more packages: npm install pg pg-copy-streams'],
  ])('is named by a plan and a run before the first request: %s', async (to, missing, message) => {
    await using sandbox = await startSandbox();
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const outDir = await mkdtemp(join(tmpdir(), 'trawler-plan-'));
    onTestFinished(() => rm(outDir, { recursive: true }));
    const flow = maps({ places: { ...places, to } });
    const destinations = { postgres: postgresDestination('postgres://127.0.0.1:1/none') };
    await withoutPackage(missing, async () => {
      await expect(planFlow(flow)).rejects.toThrow(message);
      await expect(lastValueFrom(runFlow(flow, { client, outDir, destinations }))).rejects.toThrow(message);
    });
    expect(sandbox.count()).toBe(0);
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
