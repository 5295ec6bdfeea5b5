import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ofTheDay } from '../ofTheDay.ts';
import { createClient } from '../../src/createClient.ts';
import { runFlow, stageSchemas, type Flow, type FlowDefinition, type RunFlowOptions } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { compileFlow } from '../../src/flow/definition/compileFlow.ts';
import rules from './dataPackageRules.json' with { type: 'json' };

interface Field {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
}
interface Resource {
  readonly name: string;
  readonly path: string;
  readonly format: string;
  readonly bytes: number;
  readonly hash: string;
  readonly rows: number;
  readonly dialect?: { readonly table?: string };
  readonly schema?: { readonly fields: readonly Field[] };
}
interface Package {
  readonly resources: readonly Resource[];
  readonly trawler: { readonly outcome: string; readonly stages: readonly { readonly name: string; readonly rows: number }[] };
}

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const isPackage = ajv.compile(rules);
const examples = fileURLToPath(new URL('../../examples/flows', import.meta.url));

let folder: string;
let sandbox: Sandbox;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawler-package-'));
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

async function run(flow: Flow, name: string, runs: readonly Partial<RunFlowOptions>[] = [{}]): Promise<Package> {
  await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  for (const options of runs) await lastValueFrom(runFlow(flow, { client, outDir: join(folder, name), ...options }));
  return JSON.parse(await readFile(join(folder, name, 'datapackage.json'), 'utf8')) as Package;
}

/** The types that DuckDB may find for a field: it takes digits in text for numbers, and finds nothing where all are null. */
const agrees = (type: string, found: string): boolean => {
  if (found === '"NULL"' || type === 'string' || type === 'any') return true;
  const right: { readonly [type: string]: RegExp } = {
    integer: /^(BIGINT|VARCHAR)$/,
    number: /^(DOUBLE|BIGINT|VARCHAR)$/,
    boolean: /^(BOOLEAN|VARCHAR)$/,
    datetime: /^(TIMESTAMP|VARCHAR)/,
    date: /^(DATE|VARCHAR)$/,
    object: /^(STRUCT|MAP|JSON)/,
  };
  return right[type]!.test(found);
};

describe('datapackage.json', () => {
  it.each([
    ['no resources', { resources: [] }],
    ['a path that leads out of the folder', { resources: [{ name: 'a', path: '../a.csv' }] }],
    ['a hash without its kind', { resources: [{ name: 'a', path: 'a.csv', hash: 'x' }] }],
    ['a type that no field has', { resources: [{ name: 'a', path: 'a.csv', schema: { fields: [{ name: 'a', type: 'json' }] } }] }],
  ])('would not be valid with %s', (_, wrong) => {
    expect(isPackage(wrong)).toBe(false);
  });

  it('is valid for the example flows, and its types agree with what DuckDB finds', async () => {
    const flows = (await readdir(examples)).filter((file) => file.endsWith('.json'));
    expect(flows.length).toBeGreaterThan(3);
    const duckdb = await (await DuckDBInstance.create()).connect();
    onTestFinished(() => duckdb.closeSync());
    const ask = async (sql: string): Promise<unknown[][]> => (await duckdb.runAndReadAll(sql)).getRowsJson();
    for (const file of ofTheDay(flows, 1)) {
      const { stages, ...rest } = JSON.parse(await readFile(join(examples, file), 'utf8')) as FlowDefinition;
      const few = Object.fromEntries(Object.entries(stages).map(([name, stage]) => [name, { limit: 6, ...stage }]));
      const made = await run(compileFlow({ ...rest, stages: few }, { folder: examples }), file);
      expect(isPackage(made), JSON.stringify(isPackage.errors)).toBe(true);
      expect(new Set(made.resources.map(({ name }) => name)).size).toBe(made.resources.length);
      for (const { path, bytes, hash, rows, format, schema } of made.resources) {
        const content = await readFile(join(folder, file, path));
        expect([path, bytes, hash]).toEqual([path, content.length, `sha256:${createHash('sha256').update(content).digest('hex')}`]);
        const from = format === 'csv' ? `read_csv('${join(folder, file, path)}', header = true, sample_size = -1)` : `read_json('${join(folder, file, path)}', sample_size = -1)`; // prettier-ignore
        expect([path, await ask(`SELECT count(*) FROM ${from}`)]).toEqual([path, [[String(rows)]]]);
        const found = new Map((await ask(`DESCRIBE FROM ${from}`)).map(([column, type]) => [column, String(type)]));
        const wrong = schema?.fields.filter(({ name, type }) => found.has(name) && !agrees(type, found.get(name)!));
        expect(wrong?.map(({ name, type }) => [path, name, type, found.get(name)])).toEqual([]);
      }
    }
  });

  it('is valid for a flow without files', async () => {
    const stages = { places: { call: 'mapsSearch', with: { query: 'coffee' }, limit: 2 } };
    const made = await run(compileFlow({ name: 'none', stages }), 'none');
    expect(isPackage(made), JSON.stringify(isPackage.errors)).toBe(true);
    expect(made.resources.map(({ path }) => path)).toEqual(['report.html']);
    expect(await readdir(join(folder, 'none'))).toContain('report.html');
  });

  it('has what the operation documents of each column, kept ones and provenance included, and a resource a table', async () => {
    const flow = compileFlow({
      name: 'Coffee & tea',
      stages: {
        places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, limit: 2, to: ['places.jsonl', 'all.duckdb'] },
        reviews: {
          call: 'placeReviews',
          each: 'places',
          keep: { place: '$.title', stars: '$.rating' },
          provenance: true,
          to: ['reviews.csv', 'reviews.jsonl', 'all.duckdb'],
        },
      },
    });
    const made = await run(flow, 'own', [{ maxRequests: 2 }, {}]);
    expect(isPackage(made), JSON.stringify(isPackage.errors)).toBe(true);
    expect(made.resources.map(({ name, rows, dialect }) => [name, rows, dialect?.table])).toEqual([
      ['places.jsonl', 2, undefined],
      ['reviews.csv', made.trawler.stages[1]!.rows, undefined],
      ['reviews.jsonl', made.trawler.stages[1]!.rows, undefined],
      ['all.duckdb-places', 2, 'places'],
      ['all.duckdb-reviews', made.trawler.stages[1]!.rows, 'reviews'],
    ]);
    const fields = new Map(made.resources[1]!.schema!.fields.map((field) => [field.name, field]));
    expect([...fields.keys()].slice(0, 2)).toEqual(['place', 'stars']);
    expect(fields.get('stars')?.type).toBe('number');
    expect(fields.get('iso_date')).toEqual({ name: 'iso_date', type: 'datetime', description: 'ISO 8601' });
    expect(fields.get('_source.time')?.type).toBe('datetime');
    const [line] = (await readFile(join(folder, 'own', 'reviews.jsonl'), 'utf8')).split('\n');
    expect((JSON.parse(line!) as { _source: object })._source).toMatchObject({
      operation: 'mapsReviews',
      query: { data_id: expect.any(String) },
      request_id: expect.any(String),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    const heading = (await readFile(join(folder, 'own', 'reviews.csv'), 'utf8')).split('\n')[0]!;
    expect(heading.split(',')).toEqual([...fields.keys()]);
    expect(
      stageSchemas(flow)
        .find(({ table }) => table === 'reviews')!
        .columns!.map(({ header }) => header),
    ).toEqual([...fields.keys()]);
    const ajvRows = new Ajv2020({ strict: false });
    expect(ajvRows.validate(stageSchemas(flow)[1]!.jsonSchema, JSON.parse(line!))).toBe(true);
  });
});
