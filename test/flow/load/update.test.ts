import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ofTheDay } from '../../ofTheDay.ts';
import { runFlow, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../../../src/flow/index.ts';
import { postgresDestination } from '../../../src/sinks/index.ts';
import { postgresBin, startPostgres, type Postgres } from '../../startPostgres.ts';
import { fakeClient } from '../fakeClient.ts';
import { anyDay, foundTown, serve, type Place } from '../town.ts';

const days = process.env['TRAWLER_LONG'] === '1' ? 30 : 4;

interface Mode {
  readonly gone: 'keep' | 'drop';
  readonly mode: 'merge' | 'replace';
  readonly seen?: boolean;
}

const townInto = (suffix: string, { gone, mode, seen = false }: Mode): FlowDefinition => ({
  name: 'town',
  stages: {
    places: {
      call: 'mapsSearch',
      with: { query: 'x', ll: '@40.74,-73.98,14z' },
      pages: 'all',
      by: 'data_id',
      gone,
      seen,
      mode,
      to: ['places.jsonl', `postgres:places_${suffix}`],
    },
    reviews: {
      call: 'placeReviews',
      each: 'places',
      pages: 'all',
      keep: { place: '$.data_id' },
      ...(gone === 'keep' && { since: { lookback: '7d' } }),
      by: 'review_id',
      gone,
      seen,
      mode,
      to: `postgres:reviews_${suffix}`,
    },
  },
});

describe.skipIf(postgresBin === undefined)('the tables of a town', () => {
  let folder: string;
  let postgres: Postgres;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-load-update-'));
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await postgres.close();
    await rm(folder, { recursive: true, force: true });
  });

  const crawl = async (suffix: string, town: readonly Place[], mode: Mode, options: Partial<RunFlowOptions> = {}): Promise<FlowSummary> => {
    const destinations = { postgres: postgresDestination(postgres.url) };
    const outDir = join(folder, suffix);
    return (await lastValueFrom(
      runFlow(townInto(suffix, mode), { client: fakeClient(serve(town)), outDir, destinations, ...options }),
    )) as FlowSummary;
  };
  const psql = async (sql: string): Promise<string[]> => (await postgres.psql(sql)).trimEnd().split('\n');
  const inTable = (stage: string, suffix: string): Promise<string[]> =>
    psql(`SELECT to_jsonb(t) - 'last_seen' - 'first_seen' FROM ${stage}_${suffix} t ORDER BY 1;`);
  const idsInFile = async (suffix: string, file: string, id: string): Promise<string[]> => {
    const lines = (await readFile(join(folder, suffix, file), 'utf8')).trimEnd().split('\n');
    return lines.map((line) => String((JSON.parse(line) as Record<string, unknown>)[id])).sort();
  };

  const modes: readonly Mode[] = [
    { gone: 'drop', mode: 'merge' },
    { gone: 'drop', mode: 'replace' },
    { gone: 'keep', mode: 'replace' },
  ];
  it.each<Mode>([{ gone: 'keep', mode: 'merge', seen: true }, ...ofTheDay(modes, 1)])(
    `equal those of a fresh crawl after ${days} days of updates, with %o`,
    async (mode) => {
      const name = `${mode.gone}_${mode.mode}`;
      let town = foundTown(30);
      await crawl(name, town, mode);
      const everything = new Set<string>();
      for (let day = 1; day <= days; day += 1) {
        for (const { reviews } of town) for (const { review_id } of reviews) everything.add(review_id);
        town = anyDay(town, day);
        expect(await crawl(name, town, mode, { update: true })).toMatchObject({ outcome: 'complete' });
      }
      await crawl(`${name}_fresh`, town, mode);
      for (const [stage, file, id] of [
        ['places', 'places.jsonl', 'data_id'],
        ['reviews', '.trawler/rows/1-reviews.jsonl', 'review_id'],
      ] as const) {
        const [own, fresh] = [await inTable(stage, name), await inTable(stage, `${name}_fresh`)];
        const inFresh = new Set(fresh);
        // rows that are gone may stay where they are kept, and no others
        expect(own.filter((row) => mode.gone === 'drop' || inFresh.has(row))).toEqual(fresh);
        // with what is gone, it is what the files have
        expect((await psql(`SELECT ${id} FROM ${stage}_${name};`)).sort()).toEqual(await idsInFile(name, file, id));
      }
      expect(everything.size).toBeGreaterThan(300);
    },
    300_000,
  );

  it('say when a row that is gone was seen for the last time', async () => {
    const seen = await psql('SELECT count(DISTINCT last_seen) > 3, bool_and(first_seen <= last_seen) FROM reviews_keep_merge;');
    expect(seen).toEqual(['t|t']);
  });

  it('of a series have the rows of each update, in the order of time', async () => {
    const series: FlowDefinition = {
      name: 'ratings',
      stages: { places: { call: 'mapsSearch', with: { query: 'x', ll: '@40.74,-73.98,14z' }, by: 'data_id', seen: 'series', to: 'postgres:ratings' } },
    }; // prettier-ignore
    for (const rating of [4, 3, 5]) {
      const client = fakeClient(() => ({ search_results: ['a', 'b'].map((data_id) => ({ data_id, title: data_id, rating })) }));
      const destinations = { postgres: postgresDestination(postgres.url) };
      await lastValueFrom(runFlow(series, { client, outDir: join(folder, 'series'), destinations, update: rating !== 4 }));
    }
    const said = await psql(
      `SELECT data_id, string_agg(rating::text, ' ' ORDER BY seen_at) FROM ratings GROUP BY data_id ORDER BY data_id;`,
    );
    expect(said).toEqual(['a|4 3 5', 'b|4 3 5']);
  });

  it('need a key to be updated, or to be replaced', async () => {
    const definition: FlowDefinition = {
      name: 'keyless',
      stages: { results: { call: 'webSearch', with: { query: 'x' }, to: 'postgres:keyless' } },
    };
    const destinations = { postgres: postgresDestination(postgres.url) };
    const options = { client: fakeClient(() => ({ organic_results: [{ title: 'a' }] })), outDir: join(folder, 'keyless'), destinations };
    await lastValueFrom(runFlow(definition, options));
    const before = options.client.asked.length;
    await expect(lastValueFrom(runFlow(definition, { ...options, update: true }))).rejects.toThrow(
      /Name what identifies a row in 'by', or use "mode": "replace"/,
    );
    expect(options.client.asked).toHaveLength(before);
  });
});
