import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFlow, runFlow, stageSchemas, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { compileFlow } from '../../src/flow/definition/compileFlow.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { FolderRun } from '../../src/show/run/FolderRun.ts';
import { RunTables } from '../../src/show/data/RunTables.ts';
import { readTableView } from '../../src/show/data/TableView.ts';
import { wholePart } from '../show/data/wholePart.ts';
import { tableRows } from '../sinks/tableRows.ts';
import { loadStatement } from '../../src/sinks/index.ts';
import { fakeClient } from '../../src/testing/index.ts';

const town = defineService({
  name: 'town',
  operations: {
    shops: defineOperation({
      get: '/shops',
      params: { street: { type: 'string', about: 'a street' } },
      response: { rows: [{ id: 'string', name: 'string|null', phone: 'string', 'rating?': 'number' }] },
      rows: 'rows',
      id: 'id',
    }),
  },
});

const written = { delimiter: ';', quote: "'", eol: '\r\n', null: 'NULL', bom: true, formulas: 'keep' } as const;
const flow: FlowDefinition = {
  name: 'town',
  stages: {
    shops: {
      call: 'shops',
      with: { street: ['high', 'low', 'east'] },
      to: [
        { file: 'shops.csv', ...written },
        { file: 'short.csv', columns: ['phone', { path: 'name', header: 'Called' }], extra: true },
        { file: 'shops.sqlite', columns: ['id', 'rating'], table: 'visits', index: ['rating'] },
        'shops.jsonl',
      ],
    },
  },
};

it('has each column once, though pick names some that are written anyway', async () => {
  const shops = { call: 'shops', with: { street: 'high' }, keep: { street: '$query.street' }, seen: true, to: 'shops.csv' };
  const picked: FlowDefinition = { name: 'town', stages: { shops: { ...shops, pick: ['street', 'first_seen', 'name'] } } };
  const { client } = fakeClient(town, () => ({ rows: [{ id: 'a', name: 'b', phone: '' }] }));
  const disk = new MemoryDisk();
  await lastValueFrom(runFlow(picked, { client, outDir: '/out', fileSystem: new MemoryFileSystem(disk) }));
  expect(String(disk.read('/out/shops.csv')).split('\n')[0]).toBe('street,name,first_seen,last_seen');
});

describe('the options of a file in a flow', () => {
  let outDir: string;
  const run = async (options: Partial<RunFlowOptions> = {}): Promise<FlowSummary> => {
    const { client } = fakeClient(town, ({ query }) => {
      const { street } = query as { readonly street: string };
      const shop = { id: street, name: street === 'low' ? null : `the ${street}; shop`, phone: '+1 212-555-0569' };
      return { rows: [{ ...shop, ...(street === 'east' ? { name: '=1+1', rating: 4.5, owner: 'ann' } : {}) }] };
    });
    return (await lastValueFrom(runFlow(flow, { client, outDir, concurrency: 1, ...options }))) as FlowSummary;
  };
  const text = (file: string): Promise<string> => readFile(join(outDir, file), 'utf8');

  beforeAll(async () => {
    outDir = await mkdtemp(join(tmpdir(), 'trawler-options-'));
    await run({ first: 1 }); // the next run resumes in the middle of its files
    await run();
  });
  afterAll(() => rm(outDir, { recursive: true }));

  it('say how it is written, also after a resume', async () => {
    expect(await text('shops.csv')).toBe(
      "\uFEFFid;name;phone;rating\r\nhigh;'the high; shop';+1 212-555-0569;NULL\r\nlow;NULL;+1 212-555-0569;NULL\r\neast;=1+1;+1 212-555-0569;4.5\r\n",
    );
    expect(await text('short.csv')).toBe(
      'phone,Called,_extra\n+1 212-555-0569,the high; shop,"{""id"":""high""}"\n+1 212-555-0569,,"{""id"":""low""}"\n' +
        `+1 212-555-0569,'=1+1,"{""id"":""east"",""rating"":4.5,""owner"":""ann""}"\n`,
    );
  });

  it('are in its data package', async () => {
    const { resources } = JSON.parse(await text('datapackage.json')) as {
      readonly resources: readonly { readonly path: string; readonly dialect?: object; readonly schema: { readonly fields: readonly { readonly name: string }[] } }[];
    }; // prettier-ignore
    const of = (file: string) => resources.find(({ path }) => path === file)!;
    expect(of('shops.csv').dialect).toMatchObject({ delimiter: ';', quoteChar: "'", lineTerminator: '\r\n', nullSequence: 'NULL' });
    expect(of('short.csv').schema.fields.map(({ name }) => name)).toEqual(['phone', 'Called']);
    expect(of('shops.sqlite').schema.fields.map(({ name }) => name)).toEqual(['id', 'rating']);
    expect(of('shops.sqlite').dialect).toMatchObject({ table: 'visits' });
  });

  it('name its table in a database, also for SQL, and its columns, also for the page', async () => {
    expect(await tableRows('shops.sqlite', await readFile(join(outDir, 'shops.sqlite')), 'visits')).toHaveLength(3);
    const tables = new RunTables(new FolderRun('town', outDir, { service: town, command: () => 'trawler run', allowRead: [] }));
    expect((await tables.table('shops.sqlite')).spec.columns.map(({ name }) => name)).toEqual(['id', 'rating']);
    tables.close();
    expect(stageSchemas(compileFlow(flow, { service: town }))[0]!.files[2]!.table).toBe('visits');
  });

  it.each<[table: object, other: object, faults: readonly string[]]>([
    [{ table: 'one' }, { table: 'ONE' }, ["'a.duckdb' has the table 'ONE' of stage first already"]],
    [{}, { table: 'first' }, ["'a.duckdb' has the table 'first' of stage first already"]],
    [{ table: 'one' }, {}, []],
  ])('a table is of one stage: %o, %o', (table, other, faults) => {
    const stages = {
      first: { call: 'shops', to: { file: 'a.duckdb', ...table } },
      second: { call: 'shops', to: { file: 'a.duckdb', ...other } },
    };
    expect(checkFlow({ name: 'town', stages } as FlowDefinition, { service: town }).map(({ message }) => message)).toEqual(faults);
  });

  it('are heeded by the page and by the first rows of the report', async () => {
    const tables = new RunTables(new FolderRun('town', outDir, { service: town, command: () => 'trawler run', allowRead: [] }));
    const table = await tables.table('shops.csv');
    const names = table.spec.info.columns.map(({ name }) => name);
    expect(names).toEqual(['id', 'name', 'phone', 'rating']);
    const view = readTableView(new URLSearchParams(), names);
    const called = ['the high; shop', null, '=1+1'];
    const { rows } = await wholePart(table, view, 0);
    expect(rows.map(({ cells }) => cells[1] || null)).toEqual(called);
    const loaded = await (await table.rows()).part(view, 0, 10);
    expect(loaded.rows.map(({ cells }) => cells[1])).toEqual(called);
    tables.close();
    expect(await text('report.html')).toContain('<bdi>the high; shop</bdi>');
  });

  it('are in the SQL that loads it', () => {
    const [{ files }] = stageSchemas(compileFlow(flow, { service: town })) as [ReturnType<typeof stageSchemas>[number]];
    const sql = loadStatement('duckdb', { ...files[0]!, columns: files[0]!.columns!, table: 'shops' });
    expect(sql).toContain("delim = ';', quote = '''', escape = '''', nullstr = 'NULL'");
    expect(sql).not.toContain('plain(');
    expect(files[1]!.columns!.map(({ header }) => header)).toEqual(['phone', 'Called']);
  });

  it.each<[what: string, to: unknown, fault: string]>([
    ['a misspelt option', { file: 'a.csv', delimeter: ';' }, "stages.shops.to.delimeter: 'delimeter' is not a key of a file; did you mean 'delimiter'?"],
    ['one of several', ['b.csv', { file: 'a.csv', delimeter: ';' }], "stages.shops.to.1.delimeter: 'delimeter' is not a key of a file; did you mean 'delimiter'?"],
    ['no file', { delimiter: ';' }, 'stages.shops.to.file: file is missing'],
    ['a wrong value', { file: 'a.csv', formulas: 'kept' }, `stages.shops.to.formulas: "kept" can't stand here: 'escape' or 'keep'`],
    ['a wrong delimiter', { file: 'a.csv', delimiter: 'ab' }, "stages.shops.to: delimiter must be one character that is no letter, digit, sign, quote or bracket, not 'ab'"],
    ['an option of another format', { file: 'a.jsonl', bom: true }, 'stages.shops.to: bom says nothing about a jsonl file'],
    ['a table of no database', { file: 'a.csv', table: 'x' }, 'stages.shops.to: table says nothing about a csv file'],
    ['an index of no database', { file: 'a.parquet', index: ['id'] }, 'stages.shops.to: index says nothing about a parquet file'],
    ['an option of a table', { file: 'postgres:shops', bom: true }, "stages.shops.to.bom: 'bom' is about a file, and 'postgres:shops' isn't one"],
    ['a column that is misspelt', { file: 'a.csv', columns: ['phon'] }, "stages.shops.to.columns: rows of shops have no 'phon'; did you mean 'phone'?"],
    ['a heading twice', { file: 'a.csv', columns: ['id', { path: 'name', header: 'id' }] }, 'stages.shops.to: columns must be without the same heading twice, not \'id\''],
  ])('that are wrong are named: %s', (_, to, fault) => {
    const issues = checkFlow({ ...flow, stages: { shops: { call: 'shops', to } } }, { service: town });
    expect(issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([fault]);
  }); // prettier-ignore
});
