import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition, type FlowProgress, type FlowSummary } from '../../src/flow/index.ts';
import { failureKind } from '../../src/flow/report/failuresByKind.ts';
import { reply, startServer, type TestServer } from '../client/startServer.ts';
import { fakeClient } from './fakeClient.ts';

let outDir: string;
beforeEach(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'trawler-drift-'));
});
afterEach(() => rm(outDir, { recursive: true, force: true }));

const flow: FlowDefinition = {
  name: 'drifting',
  stages: { words: { call: 'autocomplete', with: { query: ['a', 'b', 'c'] }, to: 'words.jsonl' } },
};
const notices = (said: readonly FlowProgress[]): string[] => said.flatMap((one) => (one.type === 'notice' ? [one.message] : []));
const suggestion = { value: 'coffee', relevance: 1, type: 'QUERY' };

async function run(server: TestServer, played: FlowDefinition = flow): Promise<FlowProgress[]> {
  await using client = createClient({ baseUrl: server.url, apiKey: 'k', rate: 'unlimited', maxDriftShare: 1 });
  return await lastValueFrom(runFlow(played, { client, outDir }).pipe(toArray()));
}

describe('a flow over responses that are not as documented', () => {
  it('reports each issue once, counts it in summary and datapackage, and shows it in the report', async () => {
    await using server = await startServer((_, response) => reply(response, { suggestions: [suggestion] }));
    const said = await run(server);
    expect(notices(said)).toEqual([
      'autocomplete: the response is not as documented: verbatim_relevance: expected a whole number, got nothing',
    ]);
    const issue = { operation: 'autocomplete', path: 'verbatim_relevance', responses: 3 };
    expect((said.at(-1) as FlowSummary).drift).toMatchObject([issue]);
    const made = JSON.parse(await readFile(join(outDir, 'datapackage.json'), 'utf8')) as { readonly trawler: { readonly drift: unknown } };
    expect(made.trawler.drift).toMatchObject([issue]);
    expect(await readFile(join(outDir, 'report.html'), 'utf8')).toContain(
      'not as documented in 3 of 3 pages looked at: verbatim_relevance',
    );
  });

  it('counts the rows that it skips', async () => {
    await using server = await startServer((_, response) => reply(response, { suggestions: [5, suggestion], verbatim_relevance: 1 }));
    const said = await run(server);
    expect(notices(said)).toContain('autocomplete: rows without a usable shape are skipped; the summary says how many');
    expect((said.at(-1) as FlowSummary).stages).toMatchObject([{ rows: 3, skipped: 3 }]);
    expect(await readFile(join(outDir, 'report.html'), 'utf8')).toContain('words: 3 rows were skipped');
  });

  it('says where the rows are when they are in a list that nothing reads', async () => {
    await using server = await startServer((_, response) => reply(response, { brands: [], results: [suggestion, suggestion] }));
    const stays = { query: 'x', check_in_date: '2030-05-01', check_out_date: '2030-05-02' };
    const hotels = { name: 'hotels', stages: { hotels: { call: 'hotelSearch', with: stays, to: 'hotels.jsonl' } } } as const;
    expect(notices(await run(server, hotels)).filter((message) => message.includes('nothing reads'))).toEqual([
      `hotelSearch: a response has 2 rows in 'results', which nothing reads. If they are the rows you want, add "rows": "results" to the stage, or correct the list in the description of the service`,
    ]);
  });

  it('fails queries whose responses have no list, with what to do, as failures of one kind', async () => {
    await using server = await startServer((_, response) => reply(response, { results: [suggestion], verbatim_relevance: 1 }));
    const said = await run(server);
    const { outcome, stages } = said.at(-1) as FlowSummary;
    expect([outcome, stages[0]!.failed]).toEqual(['failed', 3]);
    const failures = said.flatMap((event) => (event.type === 'failure' ? [event.error.message] : []));
    expect(new Set(failures.map(failureKind)).size).toBe(1);
    expect(failures[0]).toContain(
      "the response has no list at suggestions, not even an empty one. Lists in this response: results, 2 times; if the rows are in one of them, name it with rows or in the description; if the service leaves it out where there are no rows, say missing: 'empty'",
    );
  });

  it('says nothing when all is as documented', async () => {
    await using server = await startServer((_, response) => reply(response, { suggestions: [suggestion], verbatim_relevance: 1 }));
    const said = await run(server);
    expect([notices(said), (said.at(-1) as FlowSummary).drift]).toEqual([[], undefined]);
  });
});

describe('a flow whose pages seem to lack rows', () => {
  it('tells the first of them, and counts all, in a resumed run too', async () => {
    const definition: FlowDefinition = {
      name: 'thin',
      stages: { results: { call: 'webSearch', with: { query: ['x', 'y'] }, pages: 'all', to: 'results.jsonl' } },
    };
    const sizes = [10, 4, 10, 3];
    const said: FlowProgress[] = [];
    for (let runs = 0; runs < 20 && (said.at(-1) as FlowSummary | undefined)?.outcome !== 'complete'; runs++) {
      const client = fakeClient(({ query }) => {
        const page = Number(query['page'] ?? 0);
        return {
          organic_results: Array.from({ length: sizes[page] ?? 0 }, (_, i) => ({ title: `${String(query['query'])} ${page} ${i}` })),
        };
      });
      said.push(...(await lastValueFrom(runFlow(definition, { client, outDir, maxRequests: 1 }).pipe(toArray()))));
    }
    expect(notices(said).filter((message) => message.includes('missing'))).toEqual([
      'results: rows may be missing: {"query":"x","page":2}: the page before this one has 4 rows, and another has 10; the summary counts such pages',
    ]);
    expect((said.at(-1) as FlowSummary).stages).toMatchObject([{ rows: 54, thinPages: 2, outcome: 'complete' }]);
    const made = JSON.parse(await readFile(join(outDir, 'datapackage.json'), 'utf8')) as { readonly trawler: { readonly stages: unknown } };
    expect(made.trawler.stages).toMatchObject([{ thinPages: 2 }]);
    expect(await readFile(join(outDir, 'report.html'), 'utf8')).toContain('results: 2 pages seem to lack rows.');
  });
});

describe('queries without rows', () => {
  it('are counted and named in the summary, the data package and the report', async () => {
    const definition: FlowDefinition = {
      name: 'empty',
      stages: { results: { call: 'webSearch', with: { query: ['x', 'y', 'z'] }, to: 'results.jsonl' } },
    };
    const client = fakeClient(({ query }) => ({ organic_results: query['query'] === 'y' ? [{ title: 'y' }] : [] }));
    const summary = (await lastValueFrom(runFlow(definition, { client, outDir }))) as FlowSummary;
    expect(summary.stages).toMatchObject([{ rows: 1, empty: 2 }]);
    const made = JSON.parse(await readFile(join(outDir, 'datapackage.json'), 'utf8')) as { readonly trawler: { readonly stages: unknown } };
    const emptyQueries = [{ query: 'x' }, { query: 'z' }];
    expect(made.trawler.stages).toMatchObject([{ empty: 2, emptyQueries }]);
    const report = await readFile(join(outDir, 'report.html'), 'utf8');
    expect(report).toContain('2 queries found nothing: 2 of results.');
    const [, table = ''] = report.split('<h2>Queries that found nothing</h2>');
    expect(table.split('</table>')[0]!.match(/<bdi>[xz]<\/bdi>/g)).toHaveLength(2);
  });
});

describe('a stage that can make no query out of its rows', () => {
  const flow: FlowDefinition = {
    name: 'unused',
    stages: { places: { call: 'mapsSearch', with: { query: 'x' } }, reviews: { call: 'placeReviews', each: 'places' } },
  };
  const client = () => fakeClient(() => ({ search_results: [{ title: 'a' }, { title: 'b' }] }));

  it('says so in a run', async () => {
    const said = await lastValueFrom(runFlow(flow, { client: client(), outDir }).pipe(toArray()));
    const told = 'stage reviews made no query out of the 2 rows of places: none of them has what its query needs';
    expect(notices(said)).toEqual([told]);
    const reviews = { ...flow.stages['reviews']!, when: { title: 'c' } };
    const picky = { ...flow, stages: { ...flow.stages, reviews } };
    const refused = await lastValueFrom(runFlow(picky, { client: client(), outDir: join(outDir, 'picky') }).pipe(toArray()));
    expect(notices(refused)).toEqual([`${told} and is what its 'when' says`]);
  });
});

it('counts the seeds that make no query once, also where their reading is resumed', async () => {
  const seeds = join(outDir, 'cities.csv');
  const cities = Array.from({ length: 400 }, (_, at) => `${at % 4 === 3 ? '' : `City ${at}`},${at}`);
  await writeFile(seeds, `city,note\n${cities.join('\n')}\n`);
  const flow: FlowDefinition = { name: 'seeds', stages: { places: { call: 'mapsSearch', each: seeds, with: { query: '$.city' } } } };
  const client = fakeClient(() => ({ search_results: [{ title: 'a' }] }));
  let summary: FlowProgress | undefined;
  for (const maxRequests of [1, 110, 1000]) summary = await lastValueFrom(runFlow(flow, { client, outDir, maxRequests }));
  expect(summary).toMatchObject({ stages: [{ done: 300, unused: 100 }] });
  expect(await readFile(join(outDir, 'report.html'), 'utf8')).toContain('places: 100 seeds made no query');
});
