import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { checkFlow, defineFlow, loadFlow, planFlow, runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';

let folder: string;
let sandbox: Sandbox;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawler-grid-'));
  sandbox = await startSandbox();
});
afterEach(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(
  flow: Parameters<typeof runFlow>[0],
  options: { readonly maxRequests?: number; readonly update?: boolean } = {},
): Promise<FlowSummary> {
  await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  return (await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'out'), ...options }))) as FlowSummary;
}

const read = (file: string): Promise<string> => readFile(join(folder, 'out', file), 'utf8');
const within = [-74.02, 40.72, -73.96, 40.77] as const;

describe('a stage with a grid', () => {
  it('searches at each point once, across a stop and in an update, and shows the ranks of a business', async () => {
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const middle = await lastValueFrom(client.mapsSearch({ query: 'coffee', ll: '@40.745,-73.99,15z' }));
    const { place_id } = middle.items[3]!;
    sandbox.reset();
    const flow = defineFlow({
      name: 'ranks',
      headline: { map: 'ranks.csv', of: 'rank', each: 'word' },
      stages: {
        ranks: {
          call: 'mapsSearch',
          grid: { within, points: 9, zoom: 15 },
          with: { query: ['coffee', 'tea'] },
          keep: { word: '$query.query' },
          where: { place_id },
          to: 'ranks.csv',
        },
      },
    });
    expect((await planFlow(flow)).stages[0]?.requests).toMatchObject({ atLeast: 18, atMost: 18 });
    expect((await run(flow, { maxRequests: 8 })).outcome).toBe('interrupted');
    expect((await run(flow)).outcome).toBe('capped');
    const asked = sandbox.calls('mapsSearch').map(({ query }) => `${query['query']} ${query['ll']}`);
    expect(new Set(asked).size).toBe(18);
    expect(asked).toHaveLength(18);

    const [head, ...lines] = (await read('ranks.csv')).trimEnd().split('\n');
    expect(head).toMatch(/^point_latitude,point_longitude,word,/);
    const found = (word: string): number => lines.filter((line) => line.split(',')[2] === word).length;
    expect(found('coffee')).toBeGreaterThan(0);
    const report = await read('report.html');
    expect(report).toContain(`ranks.csv, coffee: rank at ${found('coffee')} of 9 points`);
    expect(report.match(/>–<\/text>/g)).toHaveLength(18 - lines.length);

    expect((await run(flow, { update: true })).outcome).toBe('capped');
    expect(await read('report.html')).toContain(`ranks.csv, coffee: rank at ${found('coffee')} of 9 points`);
  });

  it('takes the area of each seed', async () => {
    const circle = { center: [-73.98, 40.74], radiusKm: 2 };
    await writeFile(
      join(folder, 'towns.jsonl'),
      `${JSON.stringify({ town: 'a', area: circle })}\n${JSON.stringify({ town: 'b', area: within })}\n`,
    );
    const stage = { call: 'mapsSearch', each: 'towns.jsonl', grid: { within: '$.area', points: 9 }, with: { query: 'coffee' } };
    const stages = { places: { ...stage, keep: { town: '$.town' }, to: 'places.jsonl' } };
    await writeFile(join(folder, 'flow.json'), JSON.stringify({ name: 'towns', stages }));
    expect(await run(await loadFlow(join(folder, 'flow.json')))).toMatchObject({ outcome: 'capped', requests: 18 });
  });

  it.each([
    [{ within }, 'a grid has every or points, and not both'],
    [{ within, every: '1 mile' }, "every must be a distance such as '1km' or '500m'"],
    [{ within: 'berlin.geojson', points: 9 }, 'there is no file berlin.geojson'],
    [{ within: '$.area', points: 9 }, 'but the stage has no seeds'],
    [{ within, point: 9 }, "did you mean 'points'?"],
    [{ within: [0, 0, 9, 9], every: '10m' }, 'there are more than 100000 points'],
  ])('is checked: %j', (grid, message) => {
    const flow = { name: 'x', stages: { places: { call: 'mapsSearch', grid, with: { query: 'tea' }, to: 'x.csv' } } } as FlowDefinition;
    expect(
      checkFlow(flow)
        .map((issue) => issue.message)
        .join('; '),
    ).toContain(message);
  });
});
