import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { headlineOf } from '../../src/flow/report/index.ts';
import { checkQuery, defineOperation, defineService, type Service } from '../../src/contract/index.ts';
import { runFlow, type FlowDefinition, type FlowProgress, type FlowSummary, type RunFlowOptions } from '../../src/flow/index.ts';
import { startServer } from '../client/startServer.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { fakeClient, type FakeRequest } from '../../src/testing/index.ts';

const params = { q: { type: 'string' } } as const;
const paged = { query: { page: '${page:1}' } } as const;
const service = defineService({
  name: 'odd',
  operations: {
    one: defineOperation({ get: '/one', params, response: { rows: ['object'] }, rows: 'rows' }),
    paged: defineOperation({ get: '/paged', params, response: { rows: ['object'] }, rows: 'rows', ...paged }),
    merged: defineOperation({
      get: '/merged',
      params,
      response: { rows: ['object'], 'continue?': 'object' },
      rows: 'rows',
      merge: 'continue',
    }),
    known: defineOperation({ get: '/known', params, response: { rows: [{ id: 'string' }] }, rows: 'rows', id: 'id', ...paged }),
  },
});

interface Ran {
  readonly summary: FlowSummary;
  readonly notices: readonly string[];
  readonly requests: readonly FakeRequest[];
  readonly linesOf: (file: string) => readonly object[];
}

/** Runs stages, whose responses have these rows, on a disk in memory. */
async function run(
  stages: FlowDefinition['stages'],
  rowsFor: (request: FakeRequest) => readonly unknown[],
  { disk = new MemoryDisk(), ...options }: Partial<RunFlowOptions> & { readonly disk?: MemoryDisk } = {},
): Promise<Ran> {
  const fake = fakeClient(service, (request) => ({ rows: rowsFor(request) }), { retry: { maxAttempts: 1 } });
  const flow: FlowDefinition = { name: 'odd', service, stages };
  const fileSystem = new MemoryFileSystem(disk);
  const all: readonly FlowProgress[] = await lastValueFrom(
    runFlow(flow, { client: fake.client, outDir: '/out', fileSystem, concurrency: 1, ...options }).pipe(toArray()),
  );
  await fake.client.close();
  const linesOf = (file: string): readonly object[] => {
    const text = disk.read(`/out/${file}`)?.toString() ?? '';
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]));
  };
  const notices = all.flatMap((one) => (one.type === 'notice' ? [one.message] : []));
  return { summary: all.at(-1) as FlowSummary, notices, requests: fake.requests, linesOf };
}

describe('keep', () => {
  it('never takes the place of a field that a row has: that query is a failure on record, and the others go on', async () => {
    const { summary, linesOf } = await run(
      {
        parents: { call: 'one', with: { q: 'parents' } },
        rows: { call: 'one', each: 'parents', with: { q: '$.name' }, keep: { name: '$.name' }, to: 'rows.jsonl' },
      },
      ({ query }) =>
        query['q'] === 'parents' ? ['a', 'b', 'c'].map((name) => ({ name })) : [{ n: 1 }, query['q'] === 'b' ? { name: 'own' } : { n: 2 }],
    );
    expect(linesOf('rows.jsonl')).toEqual(['a', 'c'].flatMap((name) => [1, 2].map((n) => ({ name, n }))));
    expect(linesOf('failures.jsonl')).toMatchObject([
      { query: { q: 'b' }, error: { message: "keep names 'name', which a row of one has already: give the column another name" } },
    ]);
    expect(summary.outcome).toBe('failed');
  });
});

describe('a seed', () => {
  it.each([
    ['cities.csv', 'city,state\nOslo,\n,\nRome,\n  ,""\n,\n'],
    ['cities.jsonl', '{"city":"Oslo"}\n{"city":"","state":null}\n{}\n{"city":"Rome"}\n{"city":" "}\n'],
  ])('that is blank in %s is skipped, and said', async (name, text) => {
    const disk = new MemoryDisk();
    const fileSystem = new MemoryFileSystem(disk);
    fileSystem.makeFolder('/seeds');
    const file = fileSystem.open(`/seeds/${name}`, 'wx');
    await file.write(Buffer.from(text), 0, Buffer.byteLength(text), 0);
    file.close();
    const { requests, summary } = await run({ rows: { call: 'one', each: `/seeds/${name}`, with: { q: '$.city' } } }, () => [{ n: 1 }], {
      disk,
    });
    expect(requests.map(({ query }) => query)).toEqual([{ q: 'Oslo' }, { q: 'Rome' }]);
    expect(summary.stages).toMatchObject([{ done: 2, unused: 3 }]);
  });
});

describe('since', () => {
  it('reads seconds since 1970 that are text: an update stops at rows that are known', async () => {
    const at = (n: number): string => `${1_700_000_000 - n * 86_400}`;
    const disk = new MemoryDisk();
    const stages = { rows: { call: 'paged', pages: 'all', since: { field: 'at', id: 'id' }, to: 'rows.jsonl' } } as const;
    const update = (from: number, mode: Partial<RunFlowOptions>): Promise<Ran> =>
      run(
        stages,
        ({ query }) => {
          const first = (((query['page'] as number | undefined) ?? 1) - 1) * 10 + from;
          return Array.from({ length: first >= 60 ? 0 : 10 }, (_, n) => ({ id: first + n, at: at(first + n) }));
        },
        { disk, ...mode },
      );
    expect((await update(0, {})).requests.length).toBeGreaterThan(5);
    const { requests, linesOf } = await update(-10, { update: true });
    expect(requests.length).toBeLessThan(4);
    expect(linesOf('rows.jsonl')).toHaveLength(70);
  });
});

describe('rows without an id that are alike', () => {
  it('are all kept within a page, and counted and doubtful where a later page brings them', async () => {
    const pages = [50, 50, 1];
    await using server = await startServer(({ url }, response) => {
      const page = Number(new URL(url!, 'http://odd').searchParams.get('from') ?? 0);
      const rows = Array.from({ length: pages[page]! }, () => ({ n: page === 2 ? 2 : 1 }));
      response.end(JSON.stringify({ rows, ...(page === 2 ? {} : { continue: { from: page + 1 } }) }));
    });
    await using client = createClient({ service, baseUrl: server.url });
    const disk = new MemoryDisk();
    const flow: FlowDefinition = { name: 'alike', stages: { rows: { call: 'merged', pages: 'all', to: 'rows.jsonl' } } };
    const summary = await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem: new MemoryFileSystem(disk) }));
    expect(disk.read('/out/rows.jsonl')!.toString().trim().split('\n')).toHaveLength(51);
    expect(summary).toMatchObject({
      outcome: 'doubtful',
      stages: [{ droppedAsRepeats: 50, doubts: [expect.stringMatching(/^50 rows were left out/)] }],
    });
  });
});

describe('queries without rows', () => {
  const stages = (more: object = {}): FlowDefinition['stages'] => ({
    cities: { call: 'one', with: { q: 'cities' } },
    rows: { call: 'one', each: 'cities', with: { q: '$.at' }, keep: { city: '$.city' }, to: 'rows.jsonl', ...more },
  });
  const cities = ['Oslo', 'Rome', 'Bern'].map((city, n) => ({ city, at: `@${n}` }));
  const found =
    (full: readonly string[]) =>
    ({ query }: FakeRequest) =>
      query['q'] === 'cities' ? cities : full.includes(query['q'] as string) ? [{ n: 1 }] : [];

  it('are all in empty.jsonl with the columns that they keep, until they have some', async () => {
    const disk = new MemoryDisk();
    const { linesOf, summary } = await run(stages(), found(['@1']), { disk });
    const lineage = [{ stage: 'cities', query: { q: 'cities' } }];
    expect(linesOf('empty.jsonl')).toEqual(
      ['Oslo', 'Bern'].map((city) => ({
        stage: 'rows',
        operation: 'one',
        query: { q: cities.find((one) => one.city === city)!.at },
        keep: { city },
        lineage,
        rows: 0,
      })),
    );
    expect(summary).toMatchObject({ outcome: 'complete', stages: [{}, { empty: 2, emptyQueries: [{ city: 'Oslo' }, { city: 'Bern' }] }] });
    expect((await run(stages(), found(['@0', '@1', '@2']), { disk, update: true })).linesOf('empty.jsonl')).toEqual([]);
    expect(disk.read('/out/empty.jsonl')).toBeUndefined();
  });

  it('make a stage doubtful if all are, unless the flow expects that', async () => {
    const { summary } = await run(stages(), found([]));
    expect(summary).toMatchObject({
      outcome: 'doubtful',
      stages: [{ outcome: 'complete' }, { outcome: 'doubtful', doubts: [expect.stringMatching(/^none of its 3 queries gave a row/)] }],
    });
    expect((await run(stages({ expect: { rows: { '>=': 0 } } }), found([]))).summary.outcome).toBe('complete');
  });
});

describe('a price', () => {
  it('is what summary and report say the run cost', async () => {
    const disk = new MemoryDisk();
    const stages = { rows: { call: 'one', with: { q: ['a', 'b', 'c'] }, to: 'rows.jsonl' } } as const;
    const { summary } = await run(stages, () => [{ n: 1 }], { disk, price: 0.002 });
    expect(headlineOf(summary)).toMatch(/; 3 requests\. They cost 0\.006\.$/);
    expect(disk.read('/out/report.html')!.toString()).toContain('3 requests. They cost 0.006.');
    expect(headlineOf((await run(stages, () => [{ n: 1 }])).summary)).not.toContain('cost');
  });
});

describe('an integer beyond 2^53', () => {
  const [first, second] = ['9007199254740993', '18446744073709551615'];
  const long = (method: 'GET' | 'POST'): Service =>
    defineService({
      name: 'long',
      operations: {
        walk: defineOperation({
          [method.toLowerCase()]: '/walk',
          params: { after: { type: 'integer' } },
          response: { rows: ['object'], next: 'string|null' },
          rows: 'rows',
          [method === 'GET' ? 'query' : 'body']: { after: '${cursor}' },
          next: 'next',
        }),
      },
    });

  it.each(['GET', 'POST'] as const)('is the cursor of the next page, digit by digit, with %s', async (method) => {
    const sent: string[] = [];
    await using server = await startServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        sent.push(method === 'GET' ? request.url! : body);
        response.end(`{"rows":[{"n":${sent.length}}],"next":${[first, second, null][sent.length - 1]}}`);
      });
    });
    await using client = createClient({ service: long(method), baseUrl: server.url });
    const flow: FlowDefinition = { name: 'long', stages: { rows: { call: 'walk', pages: 'all', to: 'rows.jsonl' } } };
    const fileSystem = new MemoryFileSystem(new MemoryDisk());
    expect(await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem }))).toMatchObject({ outcome: 'complete' });
    expect(sent.slice(1)).toEqual([first, second].map((after) => (method === 'GET' ? `/walk?after=${after}` : `{"after":${after}}`)));
  });

  it('is a value of an integer parameter as text, within its bounds', () => {
    const operation = defineOperation({
      name: 'get',
      get: '/get',
      params: { id: { type: 'integer', step: 3 }, n: { type: 'integer', max: 2 ** 60 } },
      response: {},
      rows: null,
    });
    expect(checkQuery(operation, { id: '9007199254740993' })).toEqual([]);
    expect(checkQuery(operation, { id: '9007199254740994' })).toHaveLength(1);
    expect(checkQuery(operation, { n: second })).toHaveLength(1);
    expect(checkQuery(operation, { n: '7' })).toHaveLength(1);
  });
});
