import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { compileFlow } from '../../src/flow/definition/compileFlow.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { fakeClient } from '../../src/testing/index.ts';

const town = defineService({
  name: 'town',
  operations: {
    shops: defineOperation({
      get: '/shops',
      params: { street: { type: 'string', about: 'a street' }, kind: { type: 'string', about: 'a kind of shop' } },
      response: { rows: [{ id: 'string' }] },
      rows: 'rows',
      id: 'id',
    }),
    goods: defineOperation({
      get: '/goods',
      params: { shop: { type: 'string', about: 'a shop' } },
      response: { rows: [{ name: 'string' }] },
      rows: 'rows',
    }),
  },
});

const streets = Array.from({ length: 80 }, (_, index) => `street ${index}`);
const fromList: FlowDefinition = {
  name: 'town',
  stages: {
    shops: { call: 'shops', with: { street: streets }, to: 'shops.jsonl' },
    goods: { call: 'goods', each: 'shops', with: { shop: '$.id' }, to: 'goods.csv' },
  },
};
const fromFile: FlowDefinition = {
  ...fromList,
  stages: { ...fromList.stages, shops: { ...fromList.stages['shops']!, each: 'streets.csv', with: { street: '$.street' } } },
};

describe.each([
  ['a list of values', fromList],
  ['a file of seeds', fromFile],
])('first, over %s', (_, flow) => {
  const fileSystem = new MemoryFileSystem();
  const seeds = Buffer.from(['street', ...streets, ''].join('\n'));
  const file = fileSystem.open('/streets.csv', 'wx');
  file.writeSync(seeds, 0, seeds.length, 0);
  file.close();
  const sent: string[] = [];
  const run = async (outDir: string, options: Partial<RunFlowOptions> = {}, given = flow): Promise<FlowSummary> => {
    const { client } = fakeClient(town, ({ operation, query }) => {
      sent.push(JSON.stringify(query));
      const { street, shop } = query as { readonly street?: string; readonly shop?: string };
      return { rows: operation === 'shops' ? [{ id: `${street}/a` }, { id: `${street}/b` }] : [{ name: `tea of ${shop}` }] };
    });
    sent.length = 0;
    const compiled = compileFlow(given, { service: town, folder: '/', fileSystem });
    return (await lastValueFrom(runFlow(compiled, { client, outDir, fileSystem, ...options }))) as FlowSummary;
  };
  const rowsOf = ({ stages }: FlowSummary): readonly number[] => stages.map(({ rows }) => rows);

  it('takes so many queries through all stages, and a run without it requests only the rest', async () => {
    const some = await run('/out', { first: 5 });
    expect([some.outcome, some.first?.queries, rowsOf(some), sent.length]).toEqual(['interrupted', 5, [10, 10], 5 + 10]);
    const before = [...sent];
    const more = await run('/out', { first: 70 });
    expect([more.first?.queries, rowsOf(more), sent.length]).toEqual([70, [140, 140], 65 + 130]);
    before.push(...sent);
    const rest = await run('/out');
    expect([rest.outcome, rest.first, rowsOf(rest), sent.length]).toEqual(['complete', undefined, [160, 160], 10 + 20]);
    expect(new Set([...before, ...sent]).size).toBe(80 + 160);
  });

  it('reads no further than it must: a line after these may be broken', async () => {
    const broken = fileSystem.open('/broken.jsonl', 'wx');
    const lines = Buffer.from(
      `${streets
        .slice(0, 5)
        .map((street) => JSON.stringify({ street }))
        .join('\n')}\n{"street":\n`,
    );
    broken.writeSync(lines, 0, lines.length, 0);
    broken.close();
    const shops = { ...fromFile.stages['shops']!, each: 'broken.jsonl' };
    const given = { ...fromFile, stages: { ...fromFile.stages, shops } };
    const some = await run('/broken', { first: 5 }, given);
    expect([some.outcome, some.first?.queries, rowsOf(some)]).toEqual(['interrupted', 5, [10, 10]]);
    await expect(run('/broken', {}, given)).rejects.toThrow('broken.jsonl:6');
  });

  it.each([streets.length, streets.length + 1])('is a whole run where there are no more: %i', async (first) => {
    const all = await run(`/all-${first}`, { first });
    expect([all.outcome, all.first, rowsOf(all)]).toEqual(['complete', undefined, [160, 160]]);
  });

  it('requests nothing where so many were taken before', async () => {
    await run('/twice', { first: 5 });
    const again = await run('/twice', { first: 5 });
    expect([again.outcome, again.first?.queries, sent.length]).toEqual(['interrupted', 5, 0]);
  });
});

describe('first', () => {
  it('counts the queries that it took, and not the narrower ones that they were divided into', async () => {
    const { client } = fakeClient(town, ({ query }) => {
      const { kind } = query as { readonly kind?: string };
      return { rows: kind === undefined ? [{ id: 'a' }, { id: 'b' }] : [{ id: kind }] };
    });
    const shops = { call: 'shops', with: { street: streets }, split: { by: 'kind', values: ['a', 'b'], full: 2 }, to: 'shops.jsonl' };
    const run = runFlow({ name: 'town', stages: { shops } }, { client, outDir: '/out', fileSystem: new MemoryFileSystem(), first: 5 });
    expect(((await lastValueFrom(run)) as FlowSummary).first).toEqual({ queries: 5, of: 80, requests: 5 * 3, all: 80 * 3 });
  });

  it('goes with neither update nor failures', () => {
    const { client } = fakeClient(town, () => ({ rows: [] }));
    const call = (options: Partial<RunFlowOptions>) => () => runFlow(fromList, { client, outDir: '/out', first: 1, ...options });
    expect(call({ update: true })).toThrow('runFlow: first begins a run and update works on a finished one. Use one of them.');
    expect(call({ failures: true })).toThrow('runFlow: first begins a run and failures works on a finished one. Use one of them.');
  });
});
