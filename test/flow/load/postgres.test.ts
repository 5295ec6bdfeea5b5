import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { lastValueFrom, tap } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/createClient.ts';
import {
  planFlow,
  runFlow,
  type FlowDefinition,
  type FlowProgress,
  type FlowSummary,
  type RunFlowOptions,
} from '../../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import { postgresDestination } from '../../../src/sinks/index.ts';
import { freePort } from '../../freePort.ts';
import { postgresBin, startPostgres, type Postgres } from '../../startPostgres.ts';
import { cuttingProxy } from './cuttingProxy.ts';

interface Reader {
  connect(): Promise<void>;
  query(sql: string): Promise<{ readonly rows: readonly { readonly count: string }[] }>;
  end(): Promise<void>;
}
const { Client } = createRequire(import.meta.url)('pg') as { readonly Client: new (options: object) => Reader };

const flow: FlowDefinition = {
  name: 'loaded',
  stages: {
    places: {
      call: 'mapsSearch',
      with: { query: ['coffee', 'tea'], ll: '@40.74,-73.98,14z' },
      limit: 10,
      by: 'data_id',
      provenance: true,
      to: ['places.jsonl', 'postgres:places'],
    },
    reviews: {
      call: 'mapsReviews',
      each: 'places',
      with: { data_id: '$.data_id' },
      pages: 2,
      keep: { place: '$.title' },
      to: 'postgres:crawl.reviews',
    },
  },
};

describe.skipIf(postgresBin === undefined)('a flow that writes to PostgreSQL', () => {
  let folder: string;
  let sandbox: Sandbox;
  let postgres: Postgres;
  let runs = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-load-'));
    sandbox = await startSandbox();
    postgres = await startPostgres();
    await postgres.psql('CREATE SCHEMA crawl;');
  });
  afterAll(async () => {
    await sandbox.close();
    await postgres.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (definition: FlowDefinition, options: Partial<RunFlowOptions> & { readonly out?: string } = {}) => {
    const { out = `run${++runs}`, ...more } = options;
    const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const events: FlowProgress[] = [];
    const outDir = join(folder, out);
    const progress$ = runFlow(definition, { client, outDir, destinations: { postgres: postgresDestination(postgres.url) }, ...more });
    const summary = (await lastValueFrom(progress$.pipe(tap((event) => events.push(event)))).finally(
      () => void client.close(),
    )) as FlowSummary;
    return { summary, events, outDir };
  };
  const psql = async (sql: string): Promise<string[]> => (await postgres.psql(sql)).trimEnd().split('\n');
  const linesOf = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).trimEnd().split('\n');

  it('loads every row, and says how far it is in trawler_loads', async () => {
    const { summary, outDir } = await run(flow);
    expect(summary.outcome).toBe('capped');
    const places = await linesOf(join(outDir, 'places.jsonl'));
    expect(await psql('SELECT count(*), count(DISTINCT data_id) FROM places')).toEqual([`${places.length}|${places.length}`]);
    const reviews = await linesOf(join(outDir, '.trawler/rows/1-reviews.jsonl'));
    expect(await psql('SELECT count(*) FROM crawl.reviews')).toEqual([String(reviews.length)]);
    const bytes = Buffer.byteLength(`${reviews.join('\n')}\n`);
    expect(await psql('SELECT flow, stage, "table", position FROM crawl.trawler_loads')).toEqual([`loaded|reviews|crawl.reviews|${bytes}`]);
    expect(summary.stages.map(({ loads }) => loads)).toEqual([
      [{ to: 'postgres:places', waiting: 0, rejected: 0 }],
      [{ to: 'postgres:crawl.reviews', waiting: 0, rejected: 0 }],
    ]);
  });

  it('loads the same rows into a database that takes 10 ms longer for each statement, without a request more', async () => {
    const into = (to: string): FlowDefinition => ({ ...flow, stages: { places: { ...flow.stages['places']!, provenance: false, to } } });
    const address = new URL(postgres.url);
    await using proxy = await cuttingProxy(Number(address.port), 10);
    address.port = String(proxy.port);
    const { summary } = await run(into('postgres:slow'), { destinations: { postgres: postgresDestination(address.href) }, commitMs: 0 });
    const quick = await run(into('postgres:quick'), { commitMs: 0 });
    expect(summary).toMatchObject({ outcome: 'capped', requests: quick.summary.requests });
    const rows = (table: string): string => `SELECT to_jsonb(t) FROM ${table} t ORDER BY 1`;
    expect(await psql(rows('slow'))).toEqual(await psql(rows('quick')));
  });

  it('replaces the rows of its flow when it starts over, by the id that the operation documents, and leaves those of others', async () => {
    const places = (query: readonly string[]): FlowDefinition => ({
      name: 'fresh',
      stages: {
        places: { call: 'mapsSearch', with: { query, ll: '@40.74,-73.98,14z' }, limit: 10, to: ['places.jsonl', 'postgres:anew'] },
      },
    });
    const idsOf = async (outDir: string): Promise<string[]> => {
      const lines = await linesOf(join(outDir, 'places.jsonl'));
      return [...new Set(lines.map((line) => (JSON.parse(line) as { data_id: string }).data_id))].sort();
    };
    const inTable = (): Promise<string[]> => psql('SELECT data_id FROM anew ORDER BY data_id COLLATE "C"');
    const { outDir } = await run(places(['coffee', 'tea']));
    const before = await idsOf(outDir);
    expect(await inTable()).toEqual(before);
    await psql("INSERT INTO anew (data_id) VALUES ('somebody else''s')");
    const again = await run(places(['coffee']), { out: basename(outDir), fresh: true });
    const now = await idsOf(outDir);
    expect(now.length).toBeLessThan(before.length);
    expect(await inTable()).toEqual([...now, "somebody else's"].sort());
    expect(again.summary.stages[0]!.loads).toEqual([{ to: 'postgres:anew', waiting: 0, rejected: 0 }]);
  });

  it('refuses to start over where rows have no key: they would be there twice', async () => {
    const results: FlowDefinition = {
      name: 'keyless',
      stages: { results: { call: 'webSearch', with: { query: 'coffee' }, pages: 1, to: 'postgres:results' } },
    };
    const { outDir } = await run(results);
    const count = await psql('SELECT count(*) FROM results');
    const before = sandbox.count();
    for (const fresh of [true, false])
      await expect(run(results, { out: basename(outDir), fresh })).rejects.toThrow(
        /^stage results: its rows have no key, and postgres:results has those of the run before, in old.*: they would be there twice\. Name what/,
      );
    expect(sandbox.count()).toBe(before);
    expect(await psql('SELECT count(*) FROM results')).toEqual(count);
  });

  it('names its tables when it finished earlier, though it connects to none of them', async () => {
    const { summary, outDir } = await run(flow);
    const again = await run(flow, { out: basename(outDir), destinations: { postgres: postgresDestination('postgres://127.0.0.1:1') } });
    expect(again.summary).toMatchObject({ already: true, requests: 0 });
    expect(again.summary.stages.map(({ loads }) => loads)).toEqual(summary.stages.map(({ loads }) => loads));
  });

  it('creates the table with documented types, comments and its key', async () => {
    expect(
      await psql(`SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'places'::regclass AND attname IN
      ('data_id', 'gps_coordinates.latitude', 'reviews', 'types', '_extra') ORDER BY attname`),
    ).toEqual(['_extra|jsonb', 'data_id|text', 'gps_coordinates.latitude|double precision', 'reviews|bigint', 'types|jsonb']);
    expect(await psql(`SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'places'::regclass`)).toEqual([
      'PRIMARY KEY (data_id)',
    ]);
    const comments = await psql(
      `SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'places'::regclass AND attnum > 0`,
    );
    expect(comments).toContain('_extra|fields that have no column of their own');
    expect(comments).toContain('_source.time|when the service responded');
  });

  it('adds the columns that an existing table lacks, and leaves the others', async () => {
    await psql(`CREATE TABLE older (data_id text UNIQUE, rating numeric, mine int DEFAULT 7); INSERT INTO older VALUES ('old', 1, 2)`);
    await run(onePlace('postgres:older'));
    expect(await psql('SELECT data_id, title IS NULL, mine FROM older ORDER BY mine')).toEqual([
      'old|t|2',
      expect.stringMatching(/\|f\|7$/),
    ]);
  });

  it.each([
    [
      'a column of another type',
      'CREATE TABLE odd1 (data_id text PRIMARY KEY, rating date)',
      /odd1.*column rating is date, and double precision or/,
    ],
    [
      'a column that no row has',
      'CREATE TABLE odd2 (data_id text PRIMARY KEY, must int NOT NULL)',
      /column must must not be null, and no row has it/,
    ],
    ['a key that is not unique', 'CREATE TABLE odd3 (data_id text)', /ALTER TABLE "odd3" ADD UNIQUE \("data_id"\)/],
  ])('refuses a table with %s before the first request, in a plan and in a run', async (_, sql, message) => {
    await psql(sql);
    const definition = onePlace(`postgres:${/odd\d/.exec(sql)![0]}`);
    sandbox.reset();
    await expect(planFlow(definition, { destinations: { postgres: postgresDestination(postgres.url) } })).rejects.toThrow(message);
    await expect(run(definition)).rejects.toThrow(message);
    expect(sandbox.count()).toBe(0);
  });

  /** Reads a new table in a transaction. */
  const hold = async (table: string): Promise<Reader> => {
    const reader = new Client({ connectionString: postgres.url });
    await reader.connect();
    await reader.query(`CREATE TABLE ${table} (data_id text PRIMARY KEY)`);
    await reader.query(`BEGIN; SELECT count(*) FROM ${table}`);
    return reader;
  };

  it('says that somebody holds a lock on its table, crawls meanwhile, and loads its rows afterwards', async () => {
    const reader = await hold('read1');
    const events: FlowProgress[] = [];
    const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const options = { client, outDir: join(folder, `run${++runs}`), destinations: { postgres: postgresDestination(postgres.url) } };
    const done = lastValueFrom(
      runFlow(onePlace('postgres:read1'), options).pipe(
        tap((event) => {
          events.push(event);
          if (event.type === 'commit') void reader.end();
        }),
      ),
    );
    expect(await done.finally(() => void client.close())).toMatchObject({ outcome: 'capped' });
    const said = events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
    expect(said).toContain('postgres:read1: another session holds a lock that it needs (55P03). Rows wait on disk until it takes them');
    expect(said).toContain('postgres:read1 takes rows again');
    expect(await psql('SELECT count(*) FROM read1')).toEqual(['1']);
  });

  it('ends at once when it is stopped while somebody holds a lock on its table, and leaves no request for it', async () => {
    const reader = await hold('read2');
    const locks = async (how: string): Promise<number> =>
      Number((await reader.query(`SELECT count(*) FROM pg_locks WHERE relation = 'read2'::regclass AND ${how}`)).rows[0]!.count);
    const stop = new AbortController();
    const running = run(onePlace('postgres:read2'), { signal: stop.signal });
    while ((await locks('NOT granted')) === 0) await sleep(5);
    stop.abort();
    expect((await running).summary).toMatchObject({ outcome: 'interrupted', requests: 0 });
    while ((await locks('NOT granted')) > 0) await sleep(50); // for as long as the server doesn't know
    expect(await locks('granted')).toBe(1);
    await reader.end();
  });

  it('has failed if its table holds none of its rows', async () => {
    await psql('CREATE TABLE strict (data_id varchar(3) PRIMARY KEY)');
    const { summary, events, outDir } = await run(onePlace('postgres:strict'));
    expect(summary).toMatchObject({ outcome: 'failed', stages: [{ outcome: 'failed', loads: [{ waiting: 0, rejected: 1 }] }] });
    const notice = 'places: none of its rows fits into postgres:strict: see rejected.jsonl';
    expect(events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))).toContain(notice);
    const { trawler } = JSON.parse(await readFile(join(outDir, 'datapackage.json'), 'utf8')) as { trawler: { outcome: string } };
    expect(trawler.outcome).toBe('failed');
    expect((await run(onePlace('postgres:strict'), { out: basename(outDir) })).summary).toMatchObject({ already: true, outcome: 'failed' });
  });

  it('refuses a database that is away before the first request, and says nothing of its address', async () => {
    const url = `postgresql://somebody:hush-hush@127.0.0.1:${await freePort()}/secret`;
    const out = `run${++runs}`;
    sandbox.reset();
    const failure = await run(flow, { out, destinations: { postgres: postgresDestination(url) } }).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    expect(failure?.message).toBe('postgres:places: the database is away (ECONNREFUSED)');
    expect(sandbox.count()).toBe(0);
    expect(inspect(failure, { depth: 9 })).not.toMatch(/hush|somebody|secret/);
    await expect(access(join(folder, out))).rejects.toThrow('ENOENT');
  });
});

function onePlace(to: string): FlowDefinition {
  return {
    name: 'one',
    stages: { places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, limit: 1, by: 'data_id', to } },
  };
}
