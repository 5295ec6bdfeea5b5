import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sightings } from '../../src/flow/core/Dedup.ts';
import { type FlowDefinition, type FlowSummary, runFlow, type RunFlowOptions } from '../../src/flow/index.ts';
import { fakeClient, type Asked } from './fakeClient.ts';
import { seeded } from '../files/seeded.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-estimates-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Terms that each find a part of `total` rows, the ones that are known better more often. */
function found(seed: number, { total, terms, fame = 0 }: { readonly total: number; readonly terms: number; readonly fame?: number }) {
  const random = seeded(seed);
  const share = Array.from({ length: total }, () => 0.25 * (1 - fame * random()));
  return Array.from({ length: terms }, () => share.flatMap((one, row) => (random() < one ? [row] : [])));
}

const [total, count] = [600, 6];
const rowsOf = found(7, { total, terms: count });
const terms = rowsOf.map((_, index) => `term ${index}`);

/** The places of a term, twenty to a page. */
function places({ query }: Asked): object {
  const from = Number(query['page'] ?? 0);
  const rows = rowsOf[Number(String(query['query']).slice(5))]!.slice(from, from + 20);
  return { search_results: rows.map((row) => ({ data_id: `p${row}`, title: `Place ${row}` })) };
}

const flow: FlowDefinition = {
  name: 'terms',
  stages: {
    places: { call: 'mapsSearch', with: { query: terms, ll: '@40.74,-73.98,14z' }, pages: 'all', by: 'data_id', to: 'places.jsonl' },
  },
};

async function run(definition: FlowDefinition, name: string, options: Partial<RunFlowOptions> = {}): Promise<FlowSummary> {
  return (await lastValueFrom(runFlow(definition, { client: fakeClient(places), outDir: join(folder, name), ...options }))) as FlowSummary;
}

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('the estimates of a run', () => {
  it('say for overlapping terms how many rows exist at least: in the summary, the data package and the report', async () => {
    const summary = await run(flow, 'terms');
    const { rows } = summary.stages[0]!;
    const atLeast = summary.estimates![0]!.atLeast;
    expect(rows).toBeLessThan(total * 0.9);
    expect(atLeast / total).toBeGreaterThan(0.95);
    expect(atLeast / total).toBeLessThan(1.05);
    expect(summary.estimates).toEqual([{ stage: 'places', found: rows, atLeast }]);
    const { trawler } = JSON.parse(read('terms/datapackage.json')) as { trawler: { estimates: unknown } };
    expect(trawler.estimates).toEqual(summary.estimates);
    expect(read('terms/report.html')).toContain(`${rows} rows were found, and at least ${atLeast} exist`);
  });

  it('are the same after stops in the middle, and in an update that requests all of it again', async () => {
    const { estimates } = await run(flow, 'whole');
    let stopped = await run(flow, 'stopped', { maxRequests: 7, concurrency: 1 });
    for (let runs = 0; stopped.outcome === 'interrupted'; runs++) {
      expect(runs).toBeLessThan(100);
      stopped = await run(flow, 'stopped', { maxRequests: 9, concurrency: 3 });
    }
    expect(stopped.estimates).toEqual(estimates);
    expect((await run(flow, 'stopped', { update: true })).estimates).toEqual(estimates);
  });

  it('are left out where nothing says which rows are the same, or only what is new is requested', async () => {
    const { by: _, ...all } = flow.stages['places']!;
    expect(await run({ name: 'all', stages: { places: all } }, 'all')).not.toHaveProperty('estimates');
    const one = { ...flow.stages['places']!, with: { query: 'term 0', ll: '@40.74,-73.98,14z' } };
    expect(await run({ name: 'one', stages: { places: one } }, 'one')).not.toHaveProperty('estimates');
  });
});

describe('Sightings', () => {
  const estimateOf = (queries: readonly (readonly number[])[]): ReturnType<() => Sightings['estimate']> => {
    const sightings = new Sightings();
    const known = new Set<number>();
    for (const [query, rows] of queries.entries()) {
      const digests = rows.map((row) => BigInt.asUintN(64, BigInt(row + 1) * 0x9e3779b97f4a7c15n));
      const isNew = rows.map((row) => !known.has(row) && Boolean(known.add(row)));
      sightings.add(query, { new: digests.filter((_, at) => isNew[at]), seenBefore: digests.filter((_, at) => !isNew[at]) });
    }
    return sightings.estimate;
  };

  it('counts a row once for a query, however often its pages repeat it', () => {
    const rows = Array.from({ length: 50 }, (_, row) => row);
    expect(estimateOf([[...rows, ...rows]])).toBeUndefined();
    expect(estimateOf([rows, rows.map((row) => row + 45)])).toBeUndefined(); // five in common are chance
  });

  it('does not take a query that another one contains for a sign of more', () => {
    const rows = Array.from({ length: 100 }, (_, row) => row);
    expect(estimateOf([rows, rows.slice(0, 50)])).toEqual({ found: 100, atLeast: 100 });
  });

  it.each([0, 1])('lies at or below the truth but for chance, in 40 worlds with fame %d', (fame) => {
    for (let seed = 1; seed <= 40; seed++) {
      const queries = found(seed, { total: 2000, terms: 4 + (seed % 9), fame });
      const { found: have, atLeast } = estimateOf(queries)!;
      expect(atLeast).toBeGreaterThanOrEqual(have);
      expect(atLeast / 2000, String(seed)).toBeLessThan(1.06);
      expect(atLeast / 2000, String(seed)).toBeGreaterThan(fame === 0 ? 0.94 : 0.7);
    }
  });

  it('says the same of more rows than it remembers', () => {
    const queries = found(3, { total: 400_000, terms: 4 });
    const { found: have, atLeast } = estimateOf(queries)!;
    expect(have).toBe(new Set(queries.flat()).size);
    expect(Math.abs(atLeast / 400_000 - 1)).toBeLessThan(0.01);
  });
});
