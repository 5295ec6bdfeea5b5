import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initQueue } from '../../src/bullmq/index.ts';
import { PostgresBroker } from '../../src/bullmq/PostgresBroker.ts';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { postgresBin, startPostgres, type Postgres } from '../startPostgres.ts';
import { rowsIn } from './crowd.ts';
import { Scene } from './Scene.ts';

const files = ['places.jsonl', 'reviews.csv'];

describe.skipIf(postgresBin === undefined)('a queue in PostgreSQL', () => {
  let postgres: Postgres;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-pgqueue-'));
    postgres = await startPostgres();
  }, 60_000);
  afterAll(async () => {
    await postgres?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const scene = (name: string, stages?: FlowDefinition['stages']): Scene => new Scene(name, postgres.url, folder, stages);

  it('says how to make its tables', async () => {
    await using here = scene('bare');
    await expect(here.lead()).rejects.toThrow(`trawler queue init ${postgres.url}`);
    const worker = await here.work('http://127.0.0.1:1');
    await expect(worker.done).rejects.toThrow('trawler queue init');
  });

  it('leaves the files of a local run, and nothing in the tables, with few rights', async () => {
    await initQueue(postgres.url);
    await initQueue(postgres.url); // does no harm
    await postgres.psql(`CREATE ROLE crawler LOGIN; GRANT USAGE ON SCHEMA trawler_queue TO crawler;
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA trawler_queue TO crawler;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA trawler_queue TO crawler;
      REVOKE CREATE, TEMPORARY ON DATABASE postgres FROM PUBLIC;`);
    await using here = new Scene('plain', postgres.url.replace('trawler@', 'crawler@'), folder);
    const sandbox = await here.sandbox();
    await here.work(sandbox.url);
    await here.work(sandbox.url);
    const summary = await here.lead();
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const golden = join(folder, 'golden');
    const local = (await lastValueFrom(runFlow(here.flow, { client, outDir: golden }))) as FlowSummary;
    expect(summary).toMatchObject({ outcome: local.outcome, requests: local.requests, retries: 0 });
    expect(rowsIn(here.outDir, files)).toEqual(rowsIn(golden, files));
    expect(sandbox.count()).toBe(2 * local.requests);
    const left = ['job', 'event', 'trawler_run', 'trawler_result'].map((table) => `SELECT count(*) FROM trawler_queue.${table};`);
    expect(await postgres.psql(left.join('\n'))).toBe('0\n0\n0\n0\n');
  });

  it.each([
    ['postgres://user:secret@127.0.0.1:1/none', 'PostgreSQL at 127.0.0.1:1 has not responded for 1 s'],
    ['postgres://nobody:secret@HERE/postgres', 'PostgreSQL at HERE refuses: role "nobody" does not exist (28000)'],
    ['postgres://trawler:secret@HERE/none', 'PostgreSQL at HERE refuses: database "none" does not exist (3D000)'],
    ['postgres://trawler:secret@HERE/postgres?schema=other', 'HERE/postgres?schema=other'],
  ])('says why it is not to be had at %s, and no password', async (url, why) => {
    await using here = scene('away');
    const at = (text: string): string => text.replace('HERE', new URL(postgres.url).host);
    const { message } = await here.lead({ queue: at(url), waitMs: 1000 }).then(
      () => new Error('it led'),
      (error: Error) => error,
    );
    expect(message).toContain(at(why));
    expect(message).not.toContain('secret');
  });
});

describe('PostgresBroker', () => {
  it('hides both passwords of an address when it says how to make the tables', () => {
    const broker = new PostgresBroker('postgres://u:p1@db.example/crawls?password=p2');
    const advice = broker.hopeless(Object.assign(new Error('no such table'), { code: '42P01' }));
    expect(advice).toContain('trawler queue init postgres://u:PASSWORD@db.example/crawls?password=PASSWORD');
  });
});
