import { lastValueFrom, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowProgress, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { MemoryDisk, MemoryFileSystem } from '../../src/testing/index.ts';
import { Random } from '../simulation/Random.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { fakeClient } from './fakeClient.ts';

type Row = { readonly [field: string]: unknown };
type World = (run: number, random: () => number) => Row;

const flowOf = (to: string, expected?: object): FlowDefinition => ({
  name: 'towns',
  stages: { places: { call: 'mapsSearch', with: { query: ['Oslo', 'Rome'] }, to, ...(expected && { expect: expected }) } },
});

/** Places as they vary: each field is filled in about its share of them, which moves by a few points from run to run. */
const vary =
  (shares: { readonly [field: string]: number }): World =>
  (number, random) =>
    Object.fromEntries(
      Object.entries(shares).map(([field, share], index) => {
        const now = share * (1 + 0.1 * Math.sin(number * 2.3 + index));
        return [field, random() >= now ? null : field === 'rating' ? Math.round(random() * 50) / 10 : `${field} ${random()}`];
      }),
    );

const usual = { title: 0.9, phone: 0.82, rating: 0.9, site: 0.5, hours: 0.7, thumbnail: 0.8, note: 0.05 };

/** Runs a flow one time after the other in one folder. Returns what each run told of fields, and its outcome. */
async function runs(
  count: number,
  world: World,
  { flow = flowOf('places.jsonl'), seed = 1, rows = 100, mode = { fresh: true } as Partial<RunFlowOptions> } = {},
): Promise<readonly { readonly told: readonly string[]; readonly outcome: string }[]> {
  const disk = new MemoryDisk();
  const random = new Random(seed).next;
  const all: { told: readonly string[]; outcome: string }[] = [];
  for (let number = 0; number < count; number++) {
    const client = fakeClient(
      ({ query }) => ({
        search_results: Array.from({ length: rows / 2 }, (_, index) => ({
          data_id: `${query['query']} ${index}`,
          ...world(number, random),
        })),
      }),
      { sync: true },
    );
    const told: string[] = [];
    const options = { client, outDir: '/out', fileSystem: new MemoryFileSystem(disk), ...(number > 0 && mode) };
    const note = (progress: FlowProgress): void => {
      if (progress.type === 'notice' && /^places: \w+ was/.test(progress.message)) told.push(progress.message);
    };
    const { stages, outcome } = (await lastValueFrom(runFlow(flow, options).pipe(tap(note)))) as FlowSummary;
    expect(told.map((message) => message.slice('places: '.length))).toEqual(
      (stages[0]!.fieldChanges ?? []).filter((change) => !stages[0]!.doubts.includes(change)),
    );
    all.push({ told, outcome });
  }
  return all;
}

/** Fields that go, change and drift at some run, beside those that only vary. */
const troubled: World = (run, random) => {
  const row = vary(usual)(run, random);
  return {
    ...row,
    hours: run >= 6 ? null : row['hours'],
    rating: run >= 7 && row['rating'] !== null ? 'good' : row['rating'],
    thumbnail: run >= 8 && random() < 0.5 ? null : row['thumbnail'],
  };
};

describe('the fields of earlier runs', () => {
  const ways: readonly (readonly [how: string, to: string, mode: Partial<RunFlowOptions>])[] = [
    ['starting over, to JSONL', 'places.jsonl', { fresh: true }],
    ['starting over, to CSV', 'places.csv', { fresh: true }],
    ['by updates', 'places.jsonl', { update: true }],
  ];
  it.each(ofTheDay(ways, 1))(
    'tell of one that vanished, one of another type and one that drifts, and of nothing else: %s',
    async (_, to, mode) => {
      const all = await runs(10, troubled, { flow: flowOf(to), rows: 400, mode });
      const told = all.flatMap((one, number) => one.told.map((message) => [number, message] as const));
      expect(told.map(([number]) => number)).toEqual([6, 7, 8]);
      expect(told[0]![1]).toMatch(/^places: hours was filled in 6\d % to 7\d % of the rows in the last 6 runs, now in none$/);
      expect(told[1]![1]).toBe('places: rating was a number in the last 6 runs, now it is text');
      expect(told[2]![1]).toMatch(/^places: thumbnail was filled in 7\d % to 90 % of the rows in the last 6 runs, now in 3\d %$/);
    },
  );

  it('tell in the next run already of a field that vanished', async () => {
    const all = await runs(2, (run, random) => ({ ...vary(usual)(run, random), phone: run === 0 ? '1' : null }));
    expect(all[1]!.told).toEqual(['places: phone was filled in 100 % of the rows in the last run, now in none']);
  });

  it('say nothing of worlds that only vary', async () => {
    let told = 0;
    for (const seed of ofTheDay(
      Array.from({ length: 25 }, (_, seed) => seed),
      1,
    )) {
      const all = await runs(20, vary(usual), { seed, rows: 20 + 6 * seed });
      told += all.filter((one) => one.told.length > 0).length;
    }
    expect(told).toBeLessThanOrEqual(1); // of 500 runs
  });

  it('make a stage doubtful that asks for it, and it stays so', async () => {
    const flow = flowOf('places.jsonl', { history: true });
    const all = await runs(4, (run, random) => ({ ...vary(usual)(run, random), hours: run < 2 ? '9 to 5' : null }), { flow });
    expect(all.map(({ outcome }) => outcome)).toEqual(['capped', 'capped', 'doubtful', 'capped']);
    const again = await runs(3, (run, random) => ({ ...vary(usual)(run, random), phone: run === 0 ? '1' : null }), {
      flow,
      mode: { fresh: false },
    });
    expect(again.map(({ outcome }) => outcome)).toEqual(['capped', 'capped', 'capped']);
  });
});
