import { lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leadFlow, startWorker } from '../../src/bullmq/index.ts';
import { createClient, type Client } from '../../src/index.ts';
import { checkFlow, type FlowDefinition, type FlowSummary, loadFlow, runFlow } from '../../src/flow/index.ts';
import { byYear, items, offsetPages, splitWhenFull } from '../../operators/index.ts';
import { scholarSearchData } from '../../src/sandbox/responses/scholarData.ts';
import { mapsSearchData } from '../../src/sandbox/responses/mapsData.ts';
import { searchService } from '../../src/search/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { World } from '../../src/sandbox/world/World.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { hasRedis, startRedis } from '../bullmq/startRedis.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { killedAt } from './killedAt.ts';

const land = { within: [12, 51.5, 15, 53.5] as const, places: 600 };
const box = [13.1, 52.35, 13.6, 52.65] as const;
let sandbox: Sandbox;
beforeAll(async () => void (sandbox = await startSandbox({ map: land })));
afterAll(() => sandbox.close());
const fileSystem = new MemoryFileSystem();
const { disk } = fileSystem;
const read = (path: string): string => disk.read(path)!.toString();

/** One request at a time: which tiles are known to be full, and so not searched, depends on which searches came before. */
const clientOf = (): Client => createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, concurrency: 1 });
const ring = ([west, south, east, north]: readonly number[]) => [[west, south], [east, south], [east, north], [west, north], [west, south]]; // prettier-ignore

interface Place {
  readonly data_id: string;
  readonly gps_coordinates: { readonly latitude: number; readonly longitude: number };
}

const places = new Map<string, readonly Place[]>();
/** All places of the world. */
function placesOf(query: string): readonly Place[] {
  const known = places.get(query);
  if (known !== undefined) return known;
  const world = new World({ seed: 'trawler', now: () => 0, map: { ...land, cap: 100_000 } });
  const rows: Place[] = [];
  places.set(query, rows);
  for (let page = 0; ; page += 20) {
    const { search_results: found } = mapsSearchData({ query, ll: '@52.5,13.5,4z', page }, world) as { search_results: Place[] };
    if (found.length === 0) return rows;
    rows.push(...found);
  }
}

/** The ids of all places in a box, as the world has them. */
function placesIn(query: string, [west, south, east, north]: readonly number[]): string[] {
  return placesOf(query)
    .filter(({ gps_coordinates: { latitude, longitude } }) => {
      return longitude >= west! && longitude <= east! && latitude >= south! && latitude <= north!;
    })
    .map((row) => row.data_id)
    .toSorted();
}

async function run(flow: FlowDefinition, name: string, maxRequests?: number, at = fileSystem): Promise<FlowSummary> {
  await using client = clientOf();
  return (await lastValueFrom(runFlow(flow, { client, outDir: `/${name}`, fileSystem: at, maxRequests }))) as FlowSummary;
}

const idsIn = (path: string, field?: string): string[] => idsOf(read(path), field);

function idsOf(text: string, field = 'data_id'): string[] {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => String((JSON.parse(line) as { readonly [field: string]: unknown })[field])).toSorted();
}

const flow: FlowDefinition = {
  name: 'cover',
  stages: { places: { call: 'mapsSearch', with: { query: ['coffee', 'bakery'] }, cover: { within: [...box] }, to: 'places.jsonl' } },
};
/** Of one query, for what is run several times. */
const one: FlowDefinition = { name: 'one', stages: { places: { ...flow.stages['places']!, with: { query: 'coffee' } } } };
const expected = (): string[] => [...new Set([...placesIn('coffee', box), ...placesIn('bakery', box)])].toSorted();

describe('a stage that covers an area', () => {
  let whole: FlowSummary;
  let wholeOne: FlowSummary;
  /** So many changes of the disk a run of one query makes. */
  let changes: number;
  beforeAll(async () => {
    whole = await run(flow, 'whole');
    changes = -disk.log.length;
    wholeOne = await run(one, 'whole-one');
    changes += disk.log.length;
  });

  it('writes every place of the area, each once', () => {
    expect(whole.outcome).toBe('complete');
    expect(idsIn('/whole/places.jsonl')).toEqual(expected());
  });

  it('says so when tiles stay full at the greatest zoom', async () => {
    const stages = { places: { ...flow.stages['places']!, cover: { within: [...box], zoom: [5, 9] } } };
    const summary = await run({ name: 'full', stages }, 'full');
    expect(summary.outcome).toBe('capped');
    expect(summary.stages[0]!.rows).toBeLessThan(expected().length);
  });

  it('resumes after repeated stops, with the same places at the end', async () => {
    let runs = 0;
    for (let outcome = 'interrupted'; outcome === 'interrupted'; runs++) ({ outcome } = await run(one, 'stopped', 25));
    expect(runs).toBeGreaterThan(2);
    expect(idsIn('/stopped/places.jsonl')).toEqual(placesIn('coffee', box));
  });

  it('has the same places after a kill', async () => {
    for (const moment of ofTheDay([0.1, 0.3, 0.5, 0.7, 0.9], 1)) {
      const left = await killedAt(Math.floor(changes * moment), (at) => run(one, 'killed', undefined, at));
      expect(idsOf(left.read('/killed/places.jsonl')!.toString()), `killed at ${moment}`).toEqual(placesIn('coffee', box));
    }
  });

  it.skipIf(!hasRedis())('has the same places over BullMQ', async () => {
    const redis = await startRedis();
    const clients = [clientOf(), clientOf()];
    const workers = await Promise.all(clients.map((client) => startWorker(one, { client, queue: redis.url })));
    try {
      await lastValueFrom(leadFlow(one, { queue: redis.url, outDir: '/queue', fileSystem }));
      expect(idsIn('/queue/places.jsonl')).toEqual(placesIn('coffee', box));
    } finally {
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all(clients.map((client) => client.close()));
      await redis.close();
    }
  });

  it('counts the searches for the view in its budget, and resumes in the middle of them', async () => {
    let requests = 0;
    for (const most of [1, 1, 3, 5, 7, 1000]) {
      const summary = await run(one, 'learning', most);
      expect(summary.requests).toBeLessThanOrEqual(most);
      requests += summary.requests;
    }
    expect(requests).toBe(wholeOne.requests);
    expect(idsIn('/learning/places.jsonl')).toEqual(placesIn('coffee', box));
  });

  it('has each tile in the journal as a query of its own', () => {
    const text = read(disk.paths.find((path) => path.startsWith('/whole/.trawler/journal'))!);
    expect(text.match(/"ll":"@/g)!.length).toBeGreaterThan(20);
  });

  it('leaves out a hole, and takes a file for its area', async () => {
    const hole = [13.3, 52.45, 13.5, 52.55] as const;
    disk.put('/land.geojson', JSON.stringify({ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring(box), ring(hole)] } })); // prettier-ignore
    const definition: FlowDefinition = { name: 'hole', stages: { places: { call: 'mapsSearch', with: { query: 'coffee' }, cover: { within: 'land.geojson' }, to: 'places.jsonl' } } }; // prettier-ignore
    disk.put('/hole.json', JSON.stringify(definition));
    await run((await loadFlow('/hole.json', { fileSystem })) as never, 'hole');
    const inHole = new Set(placesIn('coffee', hole));
    expect(inHole.size).toBeGreaterThan(0);
    expect(idsIn('/hole/places.jsonl')).toEqual(placesIn('coffee', box).filter((id) => !inHole.has(id)));
  });

  it('covers an area for each seed, and finds out the view only once', async () => {
    const boxes = [[13.1, 52.35, 13.27, 52.65], [13.27, 52.35, 13.43, 52.65], [13.43, 52.35, 13.6, 52.65]] as const; // prettier-ignore
    disk.put('/towns.jsonl', boxes.map((one, index) => JSON.stringify({ town: `t${index}`, area: { type: 'Polygon', coordinates: [ring(one)] } })).join('\n')); // prettier-ignore
    const definition: FlowDefinition = {
      name: 'towns',
      stages: { places: { call: 'mapsSearch', each: '/towns.jsonl', with: { query: 'coffee' }, cover: { within: '$.area' }, keep: { town: '$.town' }, to: 'places.jsonl' } }, // prettier-ignore
    };
    await run(definition, 'towns');
    expect(idsIn('/towns/places.jsonl')).toEqual(boxes.flatMap((one) => placesIn('coffee', one)).toSorted());
    expect(new Set(idsIn('/towns/places.jsonl', 'town'))).toEqual(new Set(['t0', 't1', 't2']));
  });

  it('is drawn in the report: tiles, rows as dots, and what stayed full', async () => {
    const stages = { places: { ...flow.stages['places']!, cover: { within: [...box], zoom: [5, 11] } } };
    await run({ name: 'map', stages }, 'map');
    const map = /<svg class="map\b[^]*?<\/svg>/.exec(read('/map/report.html'))![0];
    expect(map.match(/class="r\d"/g)!.length).toBeGreaterThan(2);
    expect(map.match(/class="r\d full"/g)!.length).toBeGreaterThan(0);
    expect(map.match(/M[\d.]+ [\d.]+h0/g)!.length).toBe(idsIn('/map/places.jsonl').length);
    expect(map).not.toMatch(/NaN|Infinity|http/);
  });

  it('counts the rows from outside that it leaves out, also over a stop', async () => {
    const { outside } = wholeOne.stages[0]!;
    expect(outside).toBeGreaterThan(0);
    expect((await run(one, 'outside-stopped', 40)).outcome).toBe('interrupted');
    expect((await run(one, 'outside-stopped')).stages[0]!.outside).toBe(outside);
    const { trawler } = JSON.parse(read('/whole-one/datapackage.json')) as { trawler: { stages: { outside: number }[] } };
    expect(trawler.stages[0]!.outside).toBe(outside);
    expect(read('/whole-one/report.html')).toContain(`${outside!.toLocaleString('en')} rows from outside the area left out`);
    const stages = { places: { ...flow.stages['places']!, with: { query: 'coffee' }, cover: { within: [...box], clip: false } } };
    expect((await run({ name: 'unclipped', stages }, 'unclipped')).stages[0]).not.toHaveProperty('outside');
  });

  it.each<[string, object]>([
    ['both cover and split', { cover: { within: [...box] }, split: { by: 'year' } }],
    ['cover or limit, not both: an area is whole only if its tiles are', { cover: { within: [...box] }, limit: 20 }],
    ['split or limit, not both', { call: 'scholarSearch', split: { by: 'year' }, limit: 20 }],
    ['cover or since, not both: tiles differ from run to run', { cover: { within: [...box] }, since: { field: 'at' } }],
    ['cover or grid, not both', { cover: { within: [...box] }, grid: { within: [...box], points: 4 } }],
    ['each tile has its own', { cover: { within: [...box] }, with: { query: 'a', ll: '@1,2,3z' } }],
    ['there is no file', { cover: { within: 'nowhere.geojson' } }],
    ['the stage has no seeds', { cover: { within: '$.area' } }],
    ['longitude comes first', { cover: { within: [52.3, 139.1, 52.7, 139.8] } }],
    ['is empty', { cover: { within: { type: 'FeatureCollection', features: [] } } }],
    ['the lowest comes first', { cover: { within: [...box], zoom: [12, 9] } }],
    ['give the values', { split: { by: 'price' } }],
    ["did you mean 'within'?", { cover: { witin: [...box] } }],
  ])('is refused where it says what cannot be: %s', (message, keys) => {
    const stage = { call: 'mapsSearch', with: { query: 'a' }, to: 'a.jsonl', ...keys };
    const issues = checkFlow({ name: 'x', stages: { places: stage } } as never);
    expect(issues.map((issue) => issue.message).join('; ')).toContain(
      message === 'both cover and split' ? 'cover or split, not both' : message,
    );
  });

  it('is refused where it covers an area with several services, which see different parts of the map', () => {
    const stage = { call: 'mapsSearch', with: { query: 'a' }, to: 'a.jsonl', cover: { within: [...box] } };
    const faultsOf = (service: readonly string[]): string =>
      checkFlow({ name: 'x', service, stages: { places: stage } } as never, { services: { one: searchService, two: searchService } })
        .map(({ message }) => message)
        .join('; ');
    expect(faultsOf(['one', 'two'])).toContain('a stage with cover has one service');
    expect(faultsOf(['one'])).toBe('');
  });

  it('reads no file of a row that is not beside the flow', async () => {
    disk.put('/far.jsonl', JSON.stringify({ area: '/etc/hostname' }));
    const stages = {
      places: { call: 'mapsSearch', each: '/far.jsonl', with: { query: 'a' }, cover: { within: '$.area' }, to: 'a.jsonl' },
    };
    await expect(run({ name: 'far', stages }, 'far')).rejects.toThrow('not beside the flow');
  });
});

describe('a topic of 1,200 works under a cap of 1,000', () => {
  let scholars: Sandbox;
  beforeAll(async () => void (scholars = await startSandbox({ works: 1200 })));
  afterAll(() => scholars.close());
  const clientOfScholars = (): Client => createClient({ baseUrl: scholars.url, apiKey: scholars.apiKey });
  /** The ids of all works, a year at a time. */
  const all = (): string[] => {
    const world = new World({ seed: 'trawler', now: () => 0, works: 1200 });
    const found: string[] = [];
    for (let year = 1985; year <= 2026; year++) {
      for (let page = 0, rows: { id: string }[] = [{ id: '' }]; rows.length > 0; page++) {
        const query = { query: 'graphene', as_ylo: String(year), as_yhi: String(year), results: 20, page };
        ({ scholar_results: rows } = scholarSearchData(query, world) as { scholar_results: { id: string }[] });
        found.push(...rows.map(({ id }) => id));
      }
    }
    return found.toSorted();
  };

  it('is cut off where it is not split', async () => {
    await using client = clientOfScholars();
    expect(await lastValueFrom(of({ query: 'graphene' }).pipe(offsetPages(client.scholarSearch), items(), toArray()))).toHaveLength(1000);
  });

  const ways: { readonly [way: string]: (client: Client) => Promise<string[]> } = {
    'in a pipe': async (client) => {
      const works$ = of({ query: 'graphene' }).pipe(splitWhenFull(client.scholarSearch, { split: byYear() }), items(), toArray());
      return (await lastValueFrom(works$)).map(({ id }) => id).toSorted();
    },
    'in a flow': async (client) => {
      const stages = { works: { call: 'scholarSearch', with: { query: 'graphene' }, split: { by: 'year' }, to: 'works.jsonl' } };
      const { outcome } = (await lastValueFrom(
        runFlow({ name: 'works', stages }, { client, outDir: '/works', fileSystem }),
      )) as FlowSummary;
      expect(outcome).toBe('complete');
      return idsIn('/works/works.jsonl', 'id');
    },
  };
  it.each(ofTheDay(Object.keys(ways), 1))('is whole by year: %s', async (way) => {
    const works = all();
    expect(new Set(works).size).toBe(1200);
    await using client = clientOfScholars();
    expect(await ways[way]!(client)).toEqual(works);
  });
});

describe('a stage that splits its queries', () => {
  it('requests narrower queries for a full one, by year and by values', async () => {
    const stages: FlowDefinition['stages'] = {
      works: { call: 'scholarSearch', with: { query: 'graphene' }, split: { by: 'year', full: 20 }, to: 'works.jsonl' },
      images: {
        call: 'imageSearch',
        with: { query: 'cats' },
        split: { by: 'image_type', values: ['photo', 'clipart'], full: 20 },
        to: 'images.jsonl',
      },
    };
    const summary = await run({ name: 'split', stages }, 'split');
    const works = idsIn('/split/works.jsonl', 'id');
    expect(new Set(works).size).toBe(works.length);
    expect(works).toHaveLength(40);
    expect(summary.requests).toBeGreaterThan(8);
    expect(sandbox.calls('imageSearch').map(({ query }) => query['image_type'])).toContain('clipart');
  });
});
