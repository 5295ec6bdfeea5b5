import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../../src/flow/index.ts';
import { duckdbDestination } from '../../../src/sinks/destination/duckdbDestination.ts';
import { sqliteDestination } from '../../../src/sinks/destination/sqliteDestination.ts';
import { fileFormats } from '../../../src/sinks/formats/fileFormats.ts';
import { postgresDestination, type RowDestination } from '../../../src/sinks/index.ts';
import { TextRepair } from '../../../src/sinks/table/TextRepair.ts';
import { tableRows } from '../../sinks/tableRows.ts';
import { postgresBin, startPostgres, type Postgres } from '../../startPostgres.ts';
import { fakeClient } from '../fakeClient.ts';
import { smallFlow, smallResponse } from '../smallFlow.ts';
import { memoryDestination } from './memoryDestination.ts';

/** Made at the end. Both stages write to the databases. */
const madeBy = (stage: string): readonly string[] => [`${stage}.parquet`, 'all.duckdb', 'all.sqlite'];
/** Loaded when the run ends: the same destinations as of files, and two more. */
const loaded = ['duckdb', 'sqlite', 'memory', ...(postgresBin === undefined ? [] : ['postgres'])];

describe('a flow into every destination', () => {
  let folder: string;
  let postgres: Postgres | undefined;
  let summary: FlowSummary;
  const memory = memoryDestination();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-every-'));
    postgres = postgresBin === undefined ? undefined : await startPostgres();
    const inFolder = (format: 'duckdb' | 'sqlite', at: (path: string, fit: TextRepair) => RowDestination): RowDestination => ({
      open: (table) => at(join(folder, `live-${table.name}.${format}`), new TextRepair(fileFormats[format])).open(table),
    });
    const destinations = {
      memory,
      duckdb: inFolder('duckdb', duckdbDestination),
      sqlite: inFolder('sqlite', sqliteDestination),
      ...(postgres === undefined ? {} : { postgres: postgresDestination(postgres.url) }),
    };
    const stages = Object.entries(smallFlow.stages).map(([name, stage]) => {
      const to = [`${name}.jsonl`, ...madeBy(name), ...loaded.map((one) => `${one}:${name}`)];
      return [name, { ...stage, to, mode: 'replace' }] as const;
    });
    const flow: FlowDefinition = { name: 'every', stages: Object.fromEntries(stages) };
    const client = fakeClient((asked) => smallResponse(asked, true));
    const progress$ = runFlow(flow, { client, outDir: folder, destinations, concurrency: 2, commitMs: 0 });
    summary = (await lastValueFrom(progress$)) as FlowSummary;
  }, 60_000);
  afterAll(async () => {
    await postgres?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The rows of a stage at each destination, as JSON. */
  const rowsAt: { readonly [destination: string]: (stage: string) => Promise<readonly string[]> | readonly string[] } = {
    memory: (stage) => memory.tables.get(stage)!,
    postgres: async (stage) => (await postgres!.psql(`SELECT to_json(t) FROM ${stage} t;`)).trimEnd().split('\n'),
    ...Object.fromEntries(
      ['duckdb', 'sqlite'].map((format) => {
        const at = (stage: string): string => join(folder, `live-${stage}.${format}`);
        return [format, async (stage: string) => tableRows(at(stage), await readFile(at(stage)), stage)];
      }),
    ),
  };

  it.each(['people', 'reviews'])('has the same rows of %s at each', async (stage) => {
    const golden = plain((await readFile(join(folder, `${stage}.jsonl`), 'utf8')).trimEnd().split('\n'));
    expect(golden).toHaveLength(stage === 'people' ? 5 : 20);
    for (const file of madeBy(stage)) expect(plain(await tableRows(file, await readFile(join(folder, file)), stage)), file).toEqual(golden);
    for (const one of loaded) expect(plain(await rowsAt[one]!(stage)), one).toEqual(golden);
  });

  it('says that nothing waits', () => {
    expect(summary.outcome).toBe('complete');
    for (const { loads } of summary.stages)
      expect(loads?.map(({ waiting, rejected }) => [waiting, rejected])).toEqual(loaded.map(() => [0, 0]));
  });
});

/** Rows with each value as text, without those that are null, in an order of their own. */
function plain(lines: readonly string[]): readonly string[] {
  return lines
    .map((line) => {
      const fields = Object.entries(JSON.parse(line) as object).filter(([, value]) => value !== null) as [string, unknown][];
      return fields
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .sort()
        .join();
    })
    .sort();
}
