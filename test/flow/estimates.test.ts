import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeEstimate } from '../../src/flow/run/estimatesOf.ts';
import { type FlowDefinition, type FlowSummary, planMore, runFlow, type RunFlowOptions } from '../../src/flow/index.ts';
import { fakeClient, type Asked } from './fakeClient.ts';
import { seeded } from '../files/seeded.ts';
import { worldKinds, worldOf } from '../operators/estimate/worlds.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-estimates-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const world = worldOf(65, worldKinds[1]);
const terms = world.queries.map((_, index) => `term ${index}`);

/** The places of a term, twenty to a page. */
function places({ query }: Asked): object {
  const rows = world.queries[Number(String(query['query']).slice(5))]!;
  const from = Number(query['page'] ?? 0);
  return { search_results: rows.slice(from, from + 20).map((row) => ({ data_id: `p${row}`, title: `Place ${row}` })) };
}

const flow: FlowDefinition = {
  name: 'terms',
  stages: {
    places: { call: 'mapsSearch', with: { query: terms, ll: '@40.74,-73.98,14z' }, pages: 'all', by: 'data_id', to: 'places.jsonl' },
  },
};

async function run(
  definition: FlowDefinition,
  name: string,
  options: Partial<RunFlowOptions> & { readonly response?: (asked: Asked) => unknown } = {},
): Promise<{ readonly summary: FlowSummary }> {
  const { response = places, ...given } = options;
  const summary = await lastValueFrom(runFlow(definition, { client: fakeClient(response), outDir: join(folder, name), ...given }));
  return { summary: summary as FlowSummary };
}

/** A stage that looks for new rows only, when it is updated. */
const dated: FlowDefinition = {
  name: 'dated',
  stages: {
    reviews: { call: 'mapsReviews', with: { data_id: ['a', 'b'] }, since: { lookback: '1d' }, by: 'review_id', to: 'reviews.jsonl' },
  },
};
const reviews = (): object => ({
  reviews_results: Array.from({ length: 30 }, (_, id) => ({ review_id: `r${id}`, iso_date: '2026-01-01T00:00:00Z' })),
});

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('the estimates of a run', () => {
  it('say for overlapping terms how many rows exist at least', async () => {
    const { summary } = await run(flow, 'terms');
    const [estimate] = summary.estimates!;
    expect(summary.estimates).toHaveLength(1);
    expect(estimate).toMatchObject({ stage: 'places', found: summary.stages[0]!.rows });
    expect(estimate!.low).toBeLessThanOrEqual(world.total);
    expect(estimate!.atLeast).toBeGreaterThan(estimate!.found);
    expect(estimate!.high).toBeGreaterThan(estimate!.atLeast);
  });

  it('stand in datapackage.json and in the report, in words', async () => {
    const { summary } = await run(flow, 'terms');
    const { atLeast, found } = summary.estimates![0]!;
    const words = `at least ${atLeast.toLocaleString('en')} exist (95 %: `;
    const { trawler } = JSON.parse(read('terms/datapackage.json')) as { trawler: { estimates: { about: string }[] } };
    expect(trawler.estimates).toMatchObject(summary.estimates!);
    expect(trawler.estimates[0]!.about).toContain(words);
    expect(read('terms/report.html')).toContain(words);
    expect(trawler.estimates[0]!.about).toContain(`so at most ${Math.floor((100 * found) / atLeast)} % are here`);
  });

  it('say nothing of a share where the least number is what was found', () => {
    const all = { stage: 'places', found: 94, atLeast: 94, low: 94, high: 94 };
    expect(describeEstimate(all)).toBe("places: 94 rows found. Nothing points to more, but rows that no query can reach don't show.");
    expect(describeEstimate({ ...all, high: 97, runs: 2 })).toBe(
      "places: 94 rows found in two runs. Nothing points to more (95 %: up to 97), but rows that no query can reach don't show.",
    );
  });

  it('are the same after stops in the middle', async () => {
    const whole = (await run(flow, 'terms')).summary;
    let stopped = (await run(flow, 'stopped', { maxRequests: 7, concurrency: 1 })).summary;
    for (let runs = 0; stopped.outcome === 'interrupted'; runs++) {
      expect(runs).toBeLessThan(500);
      stopped = (await run(flow, 'stopped', { maxRequests: 50, concurrency: 3 })).summary;
    }
    expect(stopped.estimates).toEqual(whole.estimates);
  });

  it('count rows once for a query, however often its pages repeat them', async () => {
    const again = ({ query }: Asked): object => {
      const page = Number(query['page'] ?? 0) / 20;
      const first = query['query'] === 'term 0' ? 0 : 1000;
      return { search_results: Array.from({ length: page < 10 ? 20 : 0 }, (_, row) => ({ data_id: first + ((page * 10 + row) % 65) })) };
    };
    const stages = { places: { ...flow.stages['places']!, with: { query: ['term 0', 'term 1'], ll: '@40.74,-73.98,14z' } } };
    const { summary } = await run({ name: 'again', stages }, 'again', { response: again });
    expect(summary.estimates).toBeUndefined();
    expect(summary.notEstimated).toEqual([{ stage: 'places', because: 'too few rows were found by more than one query' }]);
    expect(read('again/report.html')).not.toContain('how many rows exist can'); // only who asks is told
  });

  it('count different rows, also where the flow writes all of them', async () => {
    const { by: _, ...all } = flow.stages['places']!;
    const { summary } = await run({ name: 'all', stages: { places: all } }, 'all');
    expect(summary.stages[0]!.rows).toBeGreaterThan(summary.estimates![0]!.found);
    expect(summary.estimates).toEqual((await run(flow, 'terms')).summary.estimates);
  });

  it('are left out for a stage that runs over rows, unless the flow says what identifies its own', async () => {
    const stages: FlowDefinition['stages'] = {
      ...flow.stages,
      photos: { call: 'mapsPhotos', each: 'places', with: { data_id: '$.data_id' }, to: 'photos.jsonl' },
    };
    const response = (asked: Asked): unknown => (asked.operation === 'mapsSearch' ? places(asked) : { photos: [{ image: 'a' }] });
    const { summary } = await run({ name: 'photos', stages }, 'photos', { response });
    expect(summary.estimates!.map(({ stage }) => stage)).toEqual(['places']);
    expect(summary).not.toHaveProperty('notEstimated');
  });

  it('come with the rows that several queries of one row, or of one page, found again', async () => {
    const stages: FlowDefinition['stages'] = {
      place: { call: 'mapsSearch', with: { query: 'term 0' }, limit: 1 },
      reviews: { call: 'placeReviews', each: 'place', with: { sort_by: ['newestFirst', 'ratingHigh'] }, to: 'reviews.jsonl' },
      topics: { call: 'reviewsByTopic', each: 'reviews', to: 'topics.jsonl' },
    };
    const topics = ['tea', 'cake'].map((id) => ({ id, keyword: id, mentions: 30 }));
    const response = (asked: Asked): unknown => (asked.operation === 'mapsSearch' ? places(asked) : { ...reviews(), topics });
    const { summary } = await run({ name: 'orders', stages }, 'orders', { response });
    expect(summary.stages.map(({ rows, repeated }) => [rows, repeated])).toEqual([
      [1, undefined],
      [60, { rows: 30, by: 'review_id' }],
      [60, { rows: 30, by: 'review_id' }],
    ]);
  });
});

describe('the estimates of an update', () => {
  /** A search that returns another three fifths of 500 places each time it is run. */
  const drawing = (seed: number): ((asked: Asked) => object) => {
    const random = seeded(seed);
    const rows = Array.from({ length: 500 }, (_, row) => row).filter(() => random() < 0.6);
    return ({ query }) => {
      const from = Number(query['page'] ?? 0);
      return { search_results: rows.slice(from, from + 20).map((row) => ({ data_id: `p${row}`, title: `Place ${row}` })) };
    };
  };
  const alone: FlowDefinition = {
    name: 'one',
    stages: { places: { ...flow.stages['places']!, with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, to: 'places.jsonl' } },
  };

  it('are those of its own queries, if these overlap: they are all requested again', async () => {
    const { summary: first } = await run(flow, 'terms');
    await cp(join(folder, 'terms'), join(folder, 'again-whole'), { recursive: true });
    const { summary } = await run(flow, 'again-whole', { update: true });
    expect(summary.estimates).toEqual(first.estimates);
    const [more] = await planMore(flow, join(folder, 'again-whole'));
    expect(more).toHaveProperty('about');
  });

  it('compare its rows with those of the run before, if only one query was run', async () => {
    const { summary: first } = await run(alone, 'twice', { response: drawing(1) });
    expect(first.estimates).toBeUndefined();
    const { summary } = await run(alone, 'twice', { response: drawing(2), update: true });
    const [estimate] = summary.estimates!;
    // each run has about 300 of the 500, and both have 180 of them
    expect(estimate).toMatchObject({ stage: 'places', runs: 2 });
    expect(estimate!.found).toBeGreaterThan(380);
    expect(estimate!.low).toBeLessThanOrEqual(500);
    expect(estimate!.high).toBeGreaterThanOrEqual(500);
    const words = `${estimate!.found} rows found in two runs; at least ${estimate!.atLeast} exist`;
    expect(read('twice/report.html')).toContain(words);
    expect(read('twice/report.html')).toContain('were found, unless rows came or went in between.');
    const { trawler } = JSON.parse(read('twice/datapackage.json')) as { trawler: { estimates: { about: string }[] } };
    expect(trawler.estimates).toMatchObject(summary.estimates!);
    expect(trawler.estimates[0]!.about).toContain(words);
    // and so says a run that finds everything done
    expect((await run(alone, 'twice', { response: drawing(2) })).summary.estimates).toEqual(summary.estimates);
  });

  it('are left out where runs tell nothing: the same rows, or days in between', async () => {
    const because = async (name: string): Promise<unknown> =>
      (await run(alone, name, { response: drawing(name === 'same' ? 1 : 2), update: true })).summary.notEstimated;
    await run(alone, 'same', { response: drawing(1) });
    expect(await because('same')).toBeUndefined();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3 * 86_400_000 });
    try {
      await run(alone, 'days', { response: drawing(1) });
    } finally {
      vi.useRealTimers();
    }
    expect(await because('days')).toBeUndefined();
    const withNew = (asked: Asked): object => {
      const { search_results: rows } = drawing(1)(asked) as { readonly search_results: readonly object[] };
      return { search_results: [{ data_id: 'new', title: 'New' }, ...rows.slice(0, 19)] };
    };
    const { places } = alone.stages;
    const first = { ...alone, stages: { places: { ...places!, pages: 1 } } }; // both runs find the same first rows, but for a new one
    await run(first, 'capped', { response: drawing(1) });
    const { summary } = await run(first, 'capped', { response: withNew, update: true });
    expect(summary).toMatchObject({ outcome: 'capped', stages: [{ capped: 1 }] });
    expect(summary).not.toHaveProperty('estimates');
    expect(read('days/report.html')).not.toContain('in two runs');
  });

  it('are left out of a stage that looks for new rows only', async () => {
    await run(dated, 'since', { response: reviews });
    const { summary } = await run(dated, 'since', { response: reviews, update: true });
    expect(summary).not.toHaveProperty('estimates');
    expect(summary).not.toHaveProperty('notEstimated');
  });
});

describe('what the next requests of a run would bring', () => {
  it('is said within its interval by a folder of half of the terms', async () => {
    const half = { ...flow.stages['places']!, with: { query: terms.slice(0, terms.length / 2), ll: '@40.74,-73.98,14z' } };
    const halved: FlowDefinition = { name: 'half', stages: { places: half } };
    const { summary } = await run(halved, 'half');
    const [more, ...others] = await planMore(halved, join(folder, 'half'));
    expect(others).toEqual([]);
    if (more === undefined || 'because' in more) throw new Error('nothing is said');
    expect(more.requests).toBe(Math.min(100, summary.requests));
    // the other terms, to the same number of requests
    const rows = world.queries.slice(0, terms.length / 2).flat();
    const pages = world.queries.slice(terms.length / 2).flatMap((query) => [...pagesIn(query)]);
    const next = pages.slice(0, more.requests).flat();
    const really = new Set([...rows, ...next]).size - new Set(rows).size;
    expect(really).toBeGreaterThanOrEqual(more.low);
    expect(really).toBeLessThanOrEqual(more.high);
    expect(more.about).toBeGreaterThan(0);
  });

  it('is the same after stops in the middle, and reads the folder only', async () => {
    await run(flow, 'terms');
    const whole = await planMore(flow, join(folder, 'terms'));
    for (const maxRequests of [20, 33, 1000]) await run(flow, 'more-stopped', { maxRequests, concurrency: 3 });
    const files = (): string[] => readdirSync(join(folder, 'more-stopped'), { recursive: true }).map(String).toSorted();
    const before = files();
    expect(await planMore(flow, join(folder, 'more-stopped'))).toEqual(whole);
    expect(files()).toEqual(before);
  });

  it('stands in the report below the curve of new rows', async () => {
    await run(flow, 'terms');
    const report = read('terms/report.html');
    expect(report).toContain('<h2>New rows</h2>');
    expect(report).toContain('places: rows a request');
    expect(report).toMatch(/places: another \d+ requests would bring about \d+ rows \(\d+ to \d+\)\./);
    expect(report).toMatch(/<title>requests? 1(?: to \d+)?: \d+ new rows, 0 found before<\/title>/);
  });

  it('has the same curve where rows that come again are written again', async () => {
    const { by: _, ...every } = flow.stages['places']!;
    const curveOf = (name: string): readonly string[] =>
      [...read(`${name}/report.html`).matchAll(/<title>requests? \d[^<]*<\/title>/g)].map(([text]) => text);
    await run(flow, 'curve-once', { concurrency: 1 });
    await run({ name: 'every', stages: { places: every } }, 'curve-every', { concurrency: 1 });
    expect(curveOf('curve-once').length).toBeGreaterThan(10);
    expect(curveOf('curve-every')).toEqual(curveOf('curve-once'));
  });

  it('is not said of stages whose rows are not compared, of splits, of updates, and of folders without a run', async () => {
    const { places } = flow.stages;
    const alone = { ...places!, with: { query: 'term 0', ll: '@40.74,-73.98,14z' }, by: undefined };
    const one = (stage: typeof alone, name: string): FlowDefinition => ({
      name,
      stages: { places: JSON.parse(JSON.stringify(stage)) as typeof alone },
    });
    const because = async (definition: FlowDefinition, name: string): Promise<unknown> =>
      (await planMore(definition, join(folder, name)))[0];
    await run(one(alone, 'alone'), 'alone');
    expect(await because(one(alone, 'alone'), 'alone')).toEqual({
      stage: 'places',
      because: "its rows aren't compared with each other: it has no 'by'",
    });
    const split: FlowDefinition = {
      name: 'split',
      stages: { places: { ...alone, pages: 1, split: { by: 'hl', values: ['en', 'de'], full: 10 } } },
    };
    await run(split, 'split');
    expect(await because(split, 'split')).toEqual({
      stage: 'places',
      because: 'its queries divide the rows, so there are no more of them',
    });
    await run(dated, 'updated', { response: reviews });
    await run(dated, 'updated', { response: reviews, update: true });
    expect(await because(dated, 'updated')).toEqual({ stage: 'reviews', because: 'an update requests only what is new' });
    await expect(because(flow, 'nothing')).rejects.toThrow('there is no run in it');
    await expect(because(flow, 'alone')).rejects.toThrow('belongs to another flow');
  });
});

function* pagesIn(rows: readonly number[]): Generator<readonly number[]> {
  for (let from = 0; from <= rows.length; from += 20) yield rows.slice(from, from + 20);
}
