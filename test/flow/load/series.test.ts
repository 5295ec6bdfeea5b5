import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition } from '../../../src/flow/index.ts';
import { postgresDestination } from '../../../src/sinks/index.ts';
import { postgresBin, startPostgres, type Postgres } from '../../startPostgres.ts';
import { fakeClient } from '../fakeClient.ts';

const flow: FlowDefinition = {
  name: 'ratings',
  stages: { places: { call: 'mapsSearch', with: { query: 'x', ll: '@40.74,-73.98,14z' }, by: 'data_id', seen: 'series', to: 'postgres:ratings' } },
}; // prettier-ignore

describe.skipIf(postgresBin === undefined)('a series in PostgreSQL', () => {
  let folder: string;
  let postgres: Postgres;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-load-series-'));
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await postgres.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has the rows of each update, in the order of time', async () => {
    for (const rating of [4, 3, 5]) {
      const client = fakeClient(() => ({ search_results: ['a', 'b'].map((data_id) => ({ data_id, title: data_id, rating })) }));
      const destinations = { postgres: postgresDestination(postgres.url) };
      await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'out'), destinations, update: rating !== 4 }));
    }
    const said = await postgres.psql(
      `SELECT data_id, string_agg(rating::text, ' ' ORDER BY seen_at) FROM ratings GROUP BY data_id ORDER BY data_id;`,
    );
    expect(said.trimEnd().split('\n')).toEqual(['a|4 3 5', 'b|4 3 5']);
  });
});
