import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { HttpError } from '../../src/errors/index.ts';
import { checkFlow, type FlowDefinition, type FlowSummary, planFlow, runFlow, type RunFlowOptions } from '../../src/flow/index.ts';
import { fakeClient, type Asked, type FakeClient } from './fakeClient.ts';
import { MemoryFileSystem } from '../../src/testing/index.ts';
import { worldOf } from '../operators/estimate/worlds.ts';

const fileSystem = new MemoryFileSystem();

/** 50 terms that return most of the same rows. */
const world = worldOf(3, { name: 'stop', match: [0.4, 0.9], fame: 1.5, topics: 1 });
const terms = Array.from({ length: 50 }, (_, index) => `term ${index}`);

function places({ query }: Asked): object {
  const rows = world.queries[Number(String(query['query']).slice(5)) % world.queries.length]!;
  const from = Number(query['page'] ?? 0);
  return { search_results: rows.slice(from, from + 20).map((row) => ({ data_id: `p${row}`, title: `Place ${row}` })) };
}

const flow: FlowDefinition = {
  name: 'stop',
  stages: {
    places: {
      call: 'mapsSearch',
      with: { query: terms, ll: '@40.74,-73.98,14z' },
      pages: 3,
      stop: { newRows: 0.05, over: 20 },
      to: 'places.jsonl',
    },
  },
};

interface Ran {
  readonly summary: FlowSummary;
  readonly client: FakeClient;
}

async function run(
  definition: FlowDefinition,
  name: string,
  options: Partial<RunFlowOptions> & { readonly response?: (asked: Asked) => unknown } = {},
): Promise<Ran> {
  const { response = places, ...given } = options;
  const client = fakeClient(response);
  const summary = await lastValueFrom(runFlow(definition, { client, outDir: `/${name}`, fileSystem, ...given }));
  return { summary: summary as FlowSummary, client };
}

const ids = (name: string): string[] =>
  fileSystem.disk
    .read(`/${name}/places.jsonl`)!
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { data_id: string }).data_id);

describe('a stage with stop', () => {
  it('sends no further request once too few rows are new, and is saturated', async () => {
    const { summary, client } = await run(flow, 'plain', { concurrency: 1 });
    expect(summary.outcome).toBe('saturated');
    expect(summary.stages[0]!.outcome).toBe('saturated');
    expect(client.asked.length).toBeGreaterThanOrEqual(20);
    expect(client.asked.length).toBeLessThan(75);
    expect(new Set(ids('plain')).size).toBe(ids('plain').length);
    expect(summary.files[0]!.sha256).toBeDefined();
  });

  it('stops after the request that makes it saturated: the same computed by hand', async () => {
    const { client } = await run(flow, 'by-hand', { concurrency: 1 });
    const seen = new Set<string>();
    const pages: { rows: number; fresh: number }[] = [];
    const isOver = (): boolean => {
      const last = pages.slice(-20);
      const sum = (pick: 'rows' | 'fresh'): number => last.reduce((total, page) => total + page[pick], 0);
      return last.length === 20 && sum('fresh') < 0.05 * sum('rows');
    };
    for (const [index, asked] of client.asked.entries()) {
      expect([index, isOver()]).toEqual([index, false]);
      const { search_results: rows } = places(asked) as { search_results: { data_id: string }[] };
      const fresh = rows.filter(({ data_id }) => !seen.has(data_id));
      for (const { data_id } of fresh) seen.add(data_id);
      pages.push({ rows: rows.length, fresh: fresh.length });
    }
    expect(isOver()).toBe(true);
  });

  it('says in the report why it stopped, what it left, and how much exists', async () => {
    await run(flow, 'report');
    const report = fileSystem.disk.read('/report/report.html')!.toString();
    expect(report).toContain('places: stopped, because fewer than 5 % of the rows of the last 20 requests were new.');
    expect(report).toMatch(/\d+ queries weren&#39;t requested to the end\./);
    expect(report).toMatch(/places: \d+ rows found(; at least \d+ exist|. Nothing points to more)/);
    expect(report).toContain('<b>saturated</b>');
  });

  it('cancels what is on its way, and other stages go on', async () => {
    const stages: FlowDefinition['stages'] = {
      ...flow.stages,
      photos: { call: 'mapsPhotos', each: 'places', with: { data_id: '$.data_id' }, to: 'photos.jsonl' },
    };
    const response = (asked: Asked): unknown => (asked.operation === 'mapsSearch' ? places(asked) : { photos: [{ image: 'a' }] });
    const { summary, client } = await run({ name: 'photos', stages }, 'photos', { response, concurrency: 8 });
    expect(summary.stages.map(({ outcome }) => outcome)).toEqual(['saturated', 'complete']);
    expect(client.asked.filter(({ operation }) => operation === 'mapsPhotos')).toHaveLength(ids('photos').length);
    expect(client.asked.filter(({ operation }) => operation === 'mapsSearch').length).toBeLessThan(85);
  });

  it('stays saturated when it is run again, and after stops in the middle', async () => {
    const again = await run(flow, 'plain');
    expect(again.client.asked).toHaveLength(0);
    expect(again.summary).toMatchObject({ outcome: 'saturated', already: true });
    const whole = (await run(flow, 'whole', { concurrency: 1 })).client.asked.length;
    let [sum, outcome, runs] = [0, 'interrupted', 0];
    for (; outcome === 'interrupted'; runs++) {
      const { summary, client } = await run(flow, 'stopped', { concurrency: 1, maxRequests: 9 });
      [sum, outcome] = [sum + client.asked.length, summary.outcome];
      expect(runs).toBeLessThan(50);
    }
    expect([sum, outcome, runs > 2]).toEqual([whole, 'saturated', true]);
    expect(ids('stopped').toSorted()).toEqual(ids('whole').toSorted());
  });

  it('reads no more seeds', async () => {
    fileSystem.disk.put('/terms.jsonl', Array.from({ length: 5000 }, (_, index) => JSON.stringify({ term: `term ${index}` })).join('\n'));
    const stages = {
      places: { ...flow.stages['places']!, each: '/terms.jsonl', with: { query: '$.term', ll: '@40.74,-73.98,14z' } },
    };
    const { summary, client } = await run({ name: 'seeds', stages }, 'seeds');
    expect(client.asked.length).toBeLessThan(150);
    expect(summary.outcome).toBe('saturated');
    expect(summary.stages[0]!.waiting).toBeLessThan(1000);
  });

  it('retries what failed when that is asked for, and nothing else', async () => {
    let broken = true;
    const response = (asked: Asked): unknown => {
      if (broken && asked.query['query'] === 'term 1')
        throw new HttpError('mapsSearch: status 404', { operation: 'mapsSearch', query: asked.query, status: 404, attempts: 1 });
      return places(asked);
    };
    const first = await run(flow, 'failed', { response, concurrency: 1 });
    expect(first.summary).toMatchObject({ outcome: 'failed', stages: [{ failed: 1 }] });
    broken = false;
    const { summary, client } = await run(flow, 'failed', { response, failures: true });
    expect(new Set(client.asked.map(({ query }) => query['query']))).toEqual(new Set(['term 1']));
    expect(summary).toMatchObject({ outcome: 'saturated', stages: [{ failed: 0 }] });
  });

  it('goes on as long as the requests pay', async () => {
    const response = ({ query }: Asked): object => ({
      search_results: Array.from({ length: 20 }, (_, row) => ({ data_id: `${String(query['query'])} ${String(query['page'])} ${row}` })),
    });
    const { summary, client } = await run(flow, 'pays', { response });
    expect(client.asked).toHaveLength(150);
    expect(summary.outcome).toBe('capped');
  });

  it('is planned with fewer requests at least', async () => {
    const { requests, stages } = await planFlow(flow);
    expect(requests).toMatchObject({ atLeast: 20, atMost: 150 });
    expect(stages[0]!.why.join('; ')).toContain('stop: ends when fewer than 5 % of the rows of 20 requests are new');
  });

  it.each<[string, object]>([
    ['a share above 0', { stop: { newRows: 0, over: 5 } }],
    ['a share above 0', { stop: { newRows: 1.5, over: 5 } }],
    ['a whole number from 1 on', { stop: { newRows: 0.1, over: 0.5 } }],
    ['an object such as', { stop: 0.02 }],
    ["did you mean 'over'?", { stop: { newRows: 0.1, ovr: 5 } }],
    ["name the field that identifies a row with 'by'", { call: 'autocomplete', with: { query: 'a' }, stop: { newRows: 0.1, over: 5 } }],
  ])('is refused where it says what cannot be: %s', (message, keys) => {
    const stage = { call: 'mapsSearch', with: { query: 'a' }, to: 'a.jsonl', ...keys };
    const issues = checkFlow({ name: 'x', stages: { places: stage } } as never);
    expect(issues.map((issue) => issue.message).join('; ')).toContain(message);
  });
});
