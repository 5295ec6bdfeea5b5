import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { checkFlow, runFlow, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { fakeClient } from './fakeClient.ts';

const cities = ['Oslo', 'Bergen', 'Rome', 'Pisa'];
const flow: FlowDefinition = {
  name: 'expecting',
  stages: {
    places: {
      call: 'mapsSearch',
      with: { query: cities },
      to: 'places.jsonl',
      expect: {
        rows: { '>=': 30, '<=': 50 },
        filled: { phone: 0.6, 'gps_coordinates.latitude': 0.9 },
        rowsPerQuery: { '>=': 1 },
        vsLast: 0.8,
      },
    },
  },
};

/** Places of a city; `change` makes them other ones. */
type Change = (place: { readonly [field: string]: unknown }, index: number, city: string) => object | undefined;
async function run(disk: MemoryDisk, change: Change, options: Partial<RunFlowOptions> = {}): Promise<FlowSummary> {
  const client = fakeClient(({ query }) => {
    const places = Array.from({ length: 10 }, (_, index) => ({
      title: `Place ${index}`,
      phone: index < 7 ? '1' : '',
      gps_coordinates: { latitude: 0 },
    }));
    return { search_results: places.flatMap((place, index) => change(place, index, String(query['query'])) ?? []) };
  });
  return (await lastValueFrom(
    runFlow(flow, { client, outDir: '/out', fileSystem: new MemoryFileSystem(disk), ...options }),
  )) as FlowSummary;
}
const asIs: Change = (place) => place;

describe("a flow's expectations", () => {
  it.each([0, 9])('report nothing for rows that meet them, without the one at %i', async (missing) => {
    const { stages, outcome } = await run(new MemoryDisk(), (place, index) => (index === missing ? undefined : place));
    expect({ outcome, doubts: stages[0]!.doubts }).toEqual({ outcome: 'capped', doubts: [] });
  });

  it.each<[name: string, change: Change, doubt: string]>([
    [
      'a field that is gone',
      (place) => ({ ...place, phone: undefined }),
      'phone is filled in 0 % of the rows, and at least 60 % is expected',
    ],
    ['a field that is null', (place) => ({ ...place, phone: null }), 'phone is filled in 0 % of the rows'],
    [
      'a field that is empty in half of the rows',
      (place, index) => (index % 2 ? { ...place, phone: '' } : place),
      'phone is filled in 40 %',
    ],
    ['an object that is gone', (place) => ({ ...place, gps_coordinates: undefined }), 'gps_coordinates.latitude is filled in 0 %'],
    ['half of the rows', (place, index) => (index % 2 ? undefined : place), '20 rows, and 30 to 50 are expected'],
    ['no rows at all', () => undefined, '0 rows, and 30 to 50 are expected'],
    ['one empty city', (place, _, city) => (city === 'Rome' ? undefined : place), '1 query has another number of rows than at least 1'],
    ['two empty cities', (place, _, city) => (city < 'P' ? undefined : place), '2 queries have another number of rows'],
  ])('tell of %s, and keep the files', async (_, change, doubt) => {
    const disk = new MemoryDisk();
    const { outcome, stages, files } = await run(disk, change);
    expect(outcome).toBe('doubtful');
    expect(stages[0]!.doubts.join()).toContain(doubt);
    expect(files).toMatchObject([{ path: 'places.jsonl', rows: stages[0]!.rows }]);
    expect(JSON.parse(disk.read('/out/datapackage.json')!.toString())).toMatchObject({
      trawler: { outcome: 'doubtful', stages: [{ doubts: stages[0]!.doubts }] },
    });
    expect(disk.read('/out/report.html')!.toString()).toContain('doubtful');
  });

  it('compare with the run before in the same folder', async () => {
    const disk = new MemoryDisk();
    await run(disk, asIs);
    const fewer = await run(disk, (place, index) => (index < 2 ? undefined : place), { fresh: true });
    expect(fewer.stages[0]!.doubts).toEqual([]);
    const fewest = await run(disk, (place, index) => (index < 4 ? undefined : place), { fresh: true });
    expect(fewest.stages[0]!.doubts).toContain('24 rows, and the run before had 32: at least 80 % of that is expected');
  });

  it('count what came before a stop, too', async () => {
    const disk = new MemoryDisk();
    expect((await run(disk, asIs, { maxRequests: 2, concurrency: 1 })).outcome).toBe('interrupted');
    expect((await run(disk, asIs)).stages[0]).toMatchObject({ rows: 40, doubts: [] });
  });

  it('are checked like the rest of a flow', () => {
    const places = { ...flow.stages['places']!, expect: { filed: {}, rows: { '>': 1 }, vsLast: 2 } };
    expect(
      checkFlow({ name: 'x', stages: { places } })
        .map(({ path, message }) => `${path}: ${message}`)
        .toSorted(),
    ).toEqual([
      "stages.places.expect.filed: 'filed' is not a key of a stage's expectations; did you mean 'filled'?",
      "stages.places.expect.rows.>: '>' is not a key of bounds; there are >=, <=",
      "stages.places.expect.vsLast: 2 can't stand here: a share from 0 to 1",
    ]);
    const misspelt = { ...flow.stages['places']!, expect: { filled: { phne: 0.5, 'gps[': 0.5 } } };
    expect(checkFlow({ name: 'x', stages: { places: misspelt } }).map(({ path, message }) => `${path}: ${message}`)).toEqual([
      "stages.places.expect.filled.phne: rows of mapsSearch have no 'phne'; did you mean 'phone'?",
      "stages.places.expect.filled.gps[: 'gps[' isn't a path: write field or object.field",
    ]);
  });
});
